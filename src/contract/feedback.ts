/** The body of `POST /v1/feedback`. */

import { Type } from 'typebox';
import { oneOf, tenantName, type Wire } from './common.ts';
import { maxNameLength } from './limits.ts';

const sources = [
  'frontend-support-request',
  'frontend-analysis-feedback',
  'frontend-post-logout-feedback',
] as const;
export const defaultSource = sources[0];

/** Maximum text lengths in characters; longer messages belong in an attachment. */
const maxLengths = {
  url: 2048,
  name: maxNameLength,
  email: 320,
  message: 10_000,
  replaySessionId: 255,
} as const;

const text = (name: keyof typeof maxLengths, description: string) =>
  Type.String({ maxLength: maxLengths[name], description });

export const feedbackBody = Type.Object({
  url: text('url', 'The page that the feedback came from.'),
  name: text('name', 'Who sends it.'),
  tenantName,
  email: text('email', 'Where to send a reply.'),
  message: Type.String({ minLength: 1, maxLength: maxLengths.message }),
  replaySessionId: Type.Optional(text('replaySessionId', 'From a session-replay tool.')),
  source: Type.Optional({ ...oneOf(sources), default: defaultSource }),
  sourceAttributes: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'Details of the source, such as the id of an analysis.',
    }),
  ),
});

/** What a user sent; the tenant is known from the request. */
export type FeedbackMessage = Omit<Wire<typeof feedbackBody>, 'tenantName' | 'source'> & {
  readonly source: string;
};
