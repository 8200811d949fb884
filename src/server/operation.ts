/**
 * What a route says of itself for the interface document beside its own schemas:
 *
 *     schema: {
 *       ...operation({ id: 'createAnalysis', summary: 'Create an analysis', failures: ['model_not_found'] }),
 *       body: createBody,
 *       response: { 200: analysisAnswer },
 *     }
 *
 * `failures` are the codes of this operation alone. What follows from its access, its body and its query (401, 403,
 * 400, 413, 415, 429, 500), its tag and its security is added where the document is made (`openapi.ts`).
 */

import { Type } from 'typebox';
import type { ErrorCode } from '../errors.ts';

declare module 'fastify' {
  interface FastifySchema {
    failures?: readonly ErrorCode[];
  }
}

export interface Operation {
  /** Camel case, a verb and a noun. Never changed: names of generated clients are made from it. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly failures?: readonly ErrorCode[];
}

export function operation({ id, summary, description, failures = [] }: Operation) {
  return {
    operationId: id,
    summary,
    failures,
    ...(description === undefined ? {} : { description }),
  };
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
