/** What the interface document says about an operation beside its own schemas, and the header that makes one repeatable. */

import { Type } from 'typebox';
import { failures } from '../errors.ts';
import type { ErrorCode } from '../errors.ts';

const everywhere: readonly ErrorCode[] = [
  'invalid_request',
  'unauthenticated',
  'forbidden',
  'body_too_large',
  'unsupported_media_type',
  'internal',
];

/** @param codes - failures of this operation beside those that any operation can have. */
export function operation(summary: string, codes: readonly ErrorCode[]) {
  return { summary, description: failureTable([...codes, ...everywhere]) };
}

/** Headers of an operation that may be sent twice and acts once. */
export const repeatable = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'The same request sent again under the same key within a day acts once.',
    }),
  ),
});

function failureTable(codes: readonly ErrorCode[]): string {
  const lines = codes.map((code) => `- ${failures[code].status} \`${code}\``);
  return ['Failures (`x-error-code`):', ...lines].join('\n');
}
