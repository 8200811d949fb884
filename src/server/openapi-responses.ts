/**
 * What a route declares: who may call it, its text in the OpenAPI document, and its schemas.
 *
 *     const createAnalysis = operation({
 *       id: 'createAnalysis',
 *       summary: 'Create an analysis',
 *       failures: ['model_not_found'],
 *       body: createBody,
 *       answer: analysisResponse,
 *     });
 *     server.post('/v1/analysis', createAnalysis, async (request) => ...);
 *
 * `failures` are the codes that only this operation has. Codes that follow from its access, body and query (401, 403,
 * 400, 413, 415, 429, 500), its tag and its security are added where the document is generated (`openapi.ts`).
 */

import type { FastifySchema } from 'fastify';
import { type TSchema, Type } from 'typebox';
import { maxIdempotencyKeyLength } from '../contract/limits.ts';
import { type ErrorCode, failures as errorTable } from '../errors.ts';
import type { Access } from './authenticate.ts';

declare module 'fastify' {
  interface FastifySchema {
    failures?: readonly ErrorCode[];
  }
}

interface Operation extends Pick<FastifySchema, 'body' | 'consumes' | 'headers' | 'querystring'> {
  /** Camel case, a verb and a noun. Never changes, because generated clients derive names from it. */
  readonly id: string;
  /** If omitted, callers need a key or a user of the tenant. */
  readonly access?: Access;
  readonly rateLimit?: false;
  readonly bodyLimit?: number;
  readonly summary: string;
  readonly description?: string;
  readonly failures?: readonly ErrorCode[];
  /** Schema of the successful response. */
  readonly answer: object;
}

export function operation<const O extends Operation>({
  id,
  access,
  rateLimit,
  bodyLimit,
  failures = [],
  answer,
  ...schema
}: O) {
  return {
    config: { ...(access && { access }), ...(rateLimit === false && { rateLimit }) },
    ...(bodyLimit === undefined ? {} : { bodyLimit }),
    schema: { operationId: id, failures, response: { 200: answer }, ...schema },
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

const challenge: Headers = { 'www-authenticate': Type.String() };
const retryAfter: Headers = { 'retry-after': Type.Integer({ description: 'Seconds to wait.' }) };

const ofBodies: readonly ErrorCode[] = ['body_too_large', 'unsupported_media_type'];
const ofCallers: readonly ErrorCode[] = ['unauthenticated', 'forbidden', 'identity_unavailable'];

interface Route {
  readonly method: string;
  readonly schema: FastifySchema;
  /** Whether the route needs no authentication. */
  readonly isOpen: boolean;
  readonly isLimited: boolean;
}

/** The responses of an operation in the OpenAPI document: one entry per status, each with its actual headers. */
export function describeResponses(route: Route): Readonly<Record<string, object>> {
  const { response } = route.schema;
  const own: Readonly<Record<string, object>> = isObject(response) ? response : {};
  const successes = Object.entries(own).map(([status, answer]) => [
    status,
    withHeaders(answer, route.isLimited ? rateLimit : {}),
  ]);
  return { ...Object.fromEntries(successes), ...failureResponses(failureCodes(route)) };
}

/** Entries by status; each lists the values that `x-error-code` may have there. */
function failureResponses(codes: readonly ErrorCode[]): Readonly<Record<string, object>> {
  const statuses = [...new Set(codes.map((code) => errorTable[code].status))];
  return Object.fromEntries(
    statuses.map((status) => [
      String(status),
      failureResponse(
        status,
        codes.filter((code) => errorTable[code].status === status),
      ),
    ]),
  );
}

function failureResponse(status: number, codes: readonly ErrorCode[]): object {
  return {
    description: codes.map((code) => `\`${code}\``).join(', '),
    headers: {
      'x-request-id': requestId,
      'x-error-code': { type: 'string', enum: [...codes] },
      ...(status === 401 ? challenge : {}),
      ...(status === 429 ? rateLimit : {}),
      ...(status === 429 || status === 503 ? retryAfter : {}),
    },
    content: { 'application/json': { schema: { $ref: 'Failure#' } } },
  };
}

function failureCodes({ method, schema, isOpen, isLimited }: Route): readonly ErrorCode[] {
  const { body, querystring, headers, params, failures: own = [] } = schema;
  const takesInput = [body, querystring, headers, params].some((part) => part !== undefined);
  const codes: readonly ErrorCode[] = [
    ...(takesInput ? (['invalid_request'] as const) : []),
    ...own,
    // The Idempotency-Key may belong to a different request.
    ...(headers === repeatable ? (['conflict'] as const) : []),
    ...(isOpen ? [] : ofCallers),
    // Only the size and type of an unexpected body are read.
    ...(method === 'GET' ? [] : ofBodies),
    // Any request that changes something writes to disk.
    ...(method === 'GET' ? [] : (['no_space_left'] as const)),
    ...(isLimited ? (['rate_limited'] as const) : []),
    'internal',
  ];
  return [...new Set(codes)];
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
