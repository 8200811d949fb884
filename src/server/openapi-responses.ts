/**
 * What a route declares: who may call it, its text in the OpenAPI document, and its schemas.
 *
 *     const createAnalysis = operation({
 *       id: 'createAnalysis',
 *       summary: 'Create an analysis',
 *       body: createBody,
 *       answer: analysisResponse,
 *     });
 *     server.post('/v1/analysis', createAnalysis, async (request) => ...);
 *
 * Its tag, its security and the response to a failure are added where the document is generated (`openapi.ts`).
 */

import type { FastifySchema } from 'fastify';
import { type TSchema, Type } from 'typebox';
import { maxIdempotencyKeyLength } from '../contract/limits.ts';
import { failures } from '../errors.ts';
import type { Access } from './authenticate.ts';

interface Operation extends Pick<FastifySchema, 'body' | 'consumes' | 'headers' | 'querystring'> {
  /** Camel case, a verb and a noun. Never changes, because generated clients derive names from it. */
  readonly id: string;
  /** If omitted, callers need a key or a user of the tenant. */
  readonly access?: Access;
  readonly rateLimit?: false;
  readonly bodyLimit?: number;
  readonly summary: string;
  readonly description?: string;
  readonly answer: object;
}

export function operation<const O extends Operation>({
  id,
  access,
  rateLimit,
  bodyLimit,
  answer,
  ...schema
}: O) {
  return {
    config: { ...(access && { access }), ...(rateLimit === false && { rateLimit }) },
    ...(bodyLimit === undefined ? {} : { bodyLimit }),
    schema: { operationId: id, response: { 200: answer }, ...schema },
  };
}

/** Headers of an operation that takes effect only once when it is sent twice. */
export const repeatable = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: maxIdempotencyKeyLength,
      description: 'A request repeated with the same key within a day takes effect only once.',
    }),
  ),
});

type Headers = Readonly<Record<string, TSchema>>;

const requestId = Type.String({
  format: 'uuid',
  description: "Identifies the request in the server's log; quote it when you ask for help.",
});

const rateLimit: Headers = {
  'ratelimit-limit': Type.Integer({ description: 'Requests per minute.' }),
  'ratelimit-remaining': Type.Integer({ description: 'The number of requests left.' }),
  'ratelimit-reset': Type.Integer({
    description: 'Seconds until the full number is available again.',
  }),
};

/** A component of the OpenAPI document, which lists the codes only there. */
export const errorCode = Type.Unsafe<string>({
  $id: 'ErrorCode',
  type: 'string',
  enum: Object.keys(failures),
});

const failure = {
  description: 'A failure.',
  headers: {
    'x-request-id': requestId,
    'x-error-code': Type.String({ description: 'A stable code: see the schema ErrorCode.' }),
    'www-authenticate': Type.String({ description: 'With 401.' }),
    'retry-after': Type.Integer({ description: 'With 429 and 503: seconds to wait.' }),
    ...rateLimit,
  },
  content: { 'application/json': { schema: { $ref: 'Failure#' } } },
};

/** The responses of an operation in the OpenAPI document, with their actual headers. */
export function describeResponses(response: unknown, isLimited: boolean): object {
  const answers: Readonly<Record<string, object>> = isObject(response) ? response : {};
  const limits = isLimited ? rateLimit : {};
  const successes = Object.entries(answers).map(([status, answer]) => [
    status,
    withHeaders(answer, limits),
  ]);
  return { ...Object.fromEntries(successes), default: failure };
}

function withHeaders(answer: object, limits: Headers): object {
  const own = 'headers' in answer && isObject(answer.headers) ? answer.headers : {};
  return {
    description: 'Done.',
    ...answer,
    headers: { 'x-request-id': requestId, ...own, ...limits },
  };
}

function isObject(value: unknown): value is Readonly<Record<string, object>> {
  return typeof value === 'object' && value !== null;
}
