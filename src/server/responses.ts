/** What all responses share: the envelope, the form of errors, and the headers that go with an error code. */

import { STATUS_CODES } from 'node:http';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  type ErrorCode,
  ForensicsError,
  toForensicsError,
  invalidRequest,
} from '../contract/errors.ts';

const retryAfterSeconds = 5;
const challenge = 'ApiKey realm="forensics", Bearer realm="forensics"';

/** `{success: true}`, with `data` if there is any. */
export function success(): { success: true };
export function success<T>(data: T): { success: true; data: T };
export function success(data?: unknown): object {
  return data === undefined ? { success: true } : { success: true, data };
}

/** The one place where an error becomes a response. */
export function answerErrors(server: FastifyInstance): void {
  server.setErrorHandler((error: unknown, request, reply) => {
    const failure = fromFramework(error) ?? toForensicsError(error);
    const { status, code, cause } = failure;
    // An exceeded quota, for example, is expected: callers must not be able to fill the log with stack traces.
    const isExpected = failure.canRetry && cause === undefined;
    if (status >= 500 && isExpected) request.log.warn({ code }, failure.message);
    else if (status >= 500) request.log.error({ err: cause ?? failure, code }, 'failed');
    return sendFailure(reply, failure);
  });
}

/** @param status - needed if HTTP makes a distinction that our codes do not. */
export async function sendFailure(
  reply: FastifyReply,
  failure: ForensicsError,
  status = failure.status,
): Promise<void> {
  void reply.code(status).headers(failureHeaders(failure));
  await reply.send({ success: false, message: failure.message });
}

/** Builds the response for the few failures that occur before a request exists. */
export function rawFailure(
  failure: ForensicsError,
  status: number,
  headers: Readonly<Record<string, string>>,
): string {
  const body = JSON.stringify({ success: false, message: failure.message });
  const all = {
    connection: 'close',
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
    ...failureHeaders(failure),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, '', body].join('\r\n');
}

function failureHeaders(failure: ForensicsError): Record<string, string> {
  return {
    'x-error-code': failure.code,
    ...(failure.status === 401 ? { 'www-authenticate': challenge } : {}),
    ...(failure.status === 503 || failure.status === 429
      ? { 'retry-after': String(failure.retryAfterSeconds ?? retryAfterSeconds) }
      : {}),
  };
}

// Fastify's own errors, with our codes and messages. Its other errors below 500 are also the caller's mistake.
const frameworkFailures: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['body_too_large', 'The body is too large for this operation.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_media_type',
    'The body must be JSON in UTF-8: send Content-Type: application/json.',
  ],
  FST_ERR_CTP_INVALID_JSON_BODY: ['invalid_request', 'The body is not valid JSON.'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['invalid_request', 'The body must be a JSON object.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'invalid_request',
    'The length of the body does not match Content-Length.',
  ],
};

function fromFramework(error: unknown): ForensicsError | null {
  if (error instanceof ForensicsError || !(error instanceof Error)) return null;
  const { code, statusCode } = error as Partial<FastifyError>;
  const known = frameworkFailures[code ?? ''];
  if (known) return new ForensicsError(known[0], known[1], { cause: error });
  if (statusCode === undefined || statusCode < 400 || statusCode >= 500) return null;
  // Errors of the JSON parser itself: syntax, and members that would poison the prototype.
  const message =
    error instanceof SyntaxError ? 'The body is not valid JSON.' : 'The address is not valid.';
  return invalidRequest(message, { cause: error });
}

/** For what the router rejects by itself: invalid escapes, or a first segment longer than any route's. */
export function addressFailure(frameworkCode: string): ForensicsError {
  if (frameworkCode !== 'FST_ERR_BAD_URL') return unknownAddress();
  const message = 'The address cannot be decoded; check its percent-encoding.';
  return invalidRequest(message);
}

/** 404, or 405 with `Allow` for a known path; OPTIONS lists the methods. Sent before the body is read. */
export function answerUnknownRoutes(
  server: FastifyInstance,
  methodsOf: (path: string) => readonly string[],
): void {
  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const methods = methodsOf(request.url.split('?', 1)[0] ?? '');
    if (methods.length === 0 || methods.includes(request.method)) throw unknownAddress();
    const allow = [...new Set([...methods, 'OPTIONS'])].join(', ');
    void reply.header('allow', allow);
    if (request.method === 'OPTIONS') return reply.code(204).send();
    const message = `This address supports only ${allow}.`;
    throw new ForensicsError('method_not_allowed', message);
  }

  server.addHook('onRequest', async (request, reply) => {
    if (request.is404) await answer(request, reply);
  });
  // For routes of other plugins that find nothing, such as a missing file of the console.
  server.setNotFoundHandler(answer);
}

export function unknownAddress(): ForensicsError {
  const message = 'Nothing exists at this address; GET /v1/schema lists all operations.';
  return new ForensicsError('not_found', message);
}
