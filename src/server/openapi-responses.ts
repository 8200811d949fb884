/**
 * What a route declares: who may call it, its text in the OpenAPI document, and its schemas.
 *
 *     const createAnalysis = operation('createAnalysis', {
 *       summary: 'Create an analysis',
 *       body: createBody,
 *       answer: analysisResponse,
 *     });
 *     server.post('/v1/analysis', createAnalysis, async (request) => ...);
 *
 * Its tag, its security and the response to a failure are added where the document is generated (`openapi.ts`).
 */

import type { FastifySchema } from 'fastify';
import { Type } from 'typebox';
import { maxIdempotencyKeyLength } from '../contract/limits.ts';
import { failures } from '../errors.ts';
import type { Access } from './authenticate.ts';

export interface Operation
  extends Pick<FastifySchema, 'body' | 'consumes' | 'headers' | 'querystring'> {
  /** If omitted, callers need a key or a user of the tenant. */
  readonly access?: Access;
  readonly rateLimit?: false;
  readonly bodyLimit?: number;
  readonly summary: string;
  readonly description?: string;
  readonly answer: object;
}

/** @param id - camel case, a verb and a noun. Never changes, because generated clients derive names from it. */
export function operation<const O extends Operation>(id: string, declared: O) {
  const { access, rateLimit, bodyLimit, answer, ...schema } = declared;
  return {
    config: { ...(access && { access }), ...(rateLimit === false && { rateLimit }) },
    ...(bodyLimit === undefined ? {} : { bodyLimit }),
    schema: { operationId: id, response: { 200: answer }, ...schema },
  };
}

/** Several operations by their ids. */
export function operations<const T extends Readonly<Record<string, Operation>>>(table: T) {
  const entries = Object.entries(table).map(([id, declared]) => [id, operation(id, declared)]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- there is an entry for every id.
  return Object.fromEntries(entries) as {
    readonly [Id in keyof T]: ReturnType<typeof operation<T[Id]>>;
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

const requestId = Type.String({
  format: 'uuid',
  description: "Identifies the request in the server's log; quote it when you ask for help.",
});

const rateLimit = {
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
  const successes = Object.entries(answers).map(([status, answer]) => {
    const own = 'headers' in answer && isObject(answer.headers) ? answer.headers : {};
    const headers = { 'x-request-id': requestId, ...own, ...limits };
    return [status, { description: 'Done.', ...answer, headers }];
  });
  return { ...Object.fromEntries(successes), default: failure };
}

function isObject(value: unknown): value is Readonly<Record<string, object>> {
  return typeof value === 'object' && value !== null;
}
