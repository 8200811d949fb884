/** The body of `POST /v1/feedback`. */

import { Type } from 'typebox';
import { maxLengths, sources } from '../../feedback/message.ts';
import { oneOf, tenantName } from './words.ts';

const text = (name: keyof typeof maxLengths, description: string) =>
  Type.String({ maxLength: maxLengths[name], description });

export const feedbackBody = Type.Object({
  url: text('url', 'The page that the feedback came from.'),
  name: text('name', 'Who sends it.'),
  tenantName,
  email: text('email', 'Where an answer may go.'),
  message: Type.String({ minLength: 1, maxLength: maxLengths.message }),
  replaySessionId: Type.Optional(text('replaySessionId', 'Of a session-replay tool.')),
  source: Type.Optional({ ...oneOf(sources), default: sources[0] }),
  sourceAttributes: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'What belongs to the source, such as the id of an analysis.',
    }),
  ),
});
