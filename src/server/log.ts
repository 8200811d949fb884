/**
 * One line an event, as fields. A request is logged by its route, never by its address: queries hold signatures of
 * presigned URLs, and headers contain keys. Only a refused caller is logged with a network
 * address and the account that was tried.
 */

import { createHmac } from 'node:crypto';
import type { FastifyInstance, FastifyLoggerOptions, FastifyRequest } from 'fastify';
import { readTag } from '../service/access/key-format.ts';
import type { LogLevel } from '../contract/config.ts';

export interface LogTarget {
  write(line: string): void;
}

interface ErrorLine {
  readonly [member: string]: unknown;
  readonly type: string;
  readonly message: string;
  readonly stack: string;
  readonly code?: string;
  readonly cause?: ErrorLine;
}

/** @param target - where lines go; standard error when a server runs. */
export function loggerOptions(
  level: LogLevel,
  target: LogTarget,
): FastifyLoggerOptions & { stream: LogTarget } {
  return {
    level,
    stream: target,
    serializers: {
      req: describeRequest,
      res: ({ statusCode }) => ({ statusCode }),
      err: (error) => describeError(error),
    },
  };
}

/** @param accountKey - hashes accounts; null writes them as they are. */
export function logAnswers(server: FastifyInstance, accountKey: Buffer | null): void {
  server.addHook('onResponse', async (request, reply) => {
    request.log.info(
      {
        ...describeRequest(request),
        status: reply.raw.statusCode,
        ms: Math.round(reply.elapsedTime),
        code: reply.getHeader('x-error-code'),
        caller: request.principal?.id ?? undefined,
        tenantId: request.tenant?.id,
        ...describeStranger(request, reply.raw.statusCode, accountKey),
      },
      'answered',
    );
  });
}

const logins: ReadonlySet<string | undefined> = new Set(['/v1/auth/login', '/v1/auth/session']);

/** For a refused login, key or token alone: somebody who guesses is found by address and account. */
function describeStranger(
  request: FastifyRequest,
  status: number,
  accountKey: Buffer | null,
): { readonly from?: string; readonly account?: string } {
  const { ip, headers, principal, routeOptions } = request;
  const isLogin = request.method === 'POST' && logins.has(routeOptions.url) && status >= 400;
  const triedKey = headers.authorization !== undefined && principal === null;
  const isRefused = isLogin || status === 401 || (status === 403 && triedKey);
  if (!isRefused) return {};
  const account = isLogin ? mailAddressIn(request.body) : keyStartIn(headers.authorization);
  if (account === null) return { from: ip };
  if (accountKey === null) return { from: ip, account };
  const hash = createHmac('sha256', accountKey).update(account).digest('hex');
  return { from: ip, account: hash.slice(0, 32) };
}

/** In one spelling; null for what is none: people also type their password into the wrong box. */
function mailAddressIn(body: unknown): string | null {
  if (typeof body !== 'object' || body === null || !('email' in body)) return null;
  const { email } = body;
  const isOne = typeof email === 'string' && /^[^\s@]{1,64}@[^\s@]{1,189}$/.test(email);
  return isOne ? email.toLowerCase() : null;
}

/** What comes before the secret part of a well-formed key names its tenant. */
function keyStartIn(authorization = ''): string | null {
  const [, secret = ''] = /^(?:ApiKey|Bearer) (\S+)$/i.exec(authorization) ?? [];
  const tag = readTag(secret);
  return tag === null ? null : `sk-${tag}`;
}

const deepestCause = 5;

/**
 * What failed and where. The other members of a foreign error stay out: they can contain what was sent, with its tokens
 * and passwords.
 */
function describeError(error: Readonly<Error & { code?: unknown }>, depth = 0): ErrorLine {
  const { name, message, stack = '', code, cause } = error;
  return {
    type: name,
    message,
    stack,
    ...(typeof code === 'string' ? { code } : {}),
    ...(cause instanceof Error && depth < deepestCause
      ? { cause: describeError(cause, depth + 1) }
      : {}),
  };
}

function describeRequest(request: FastifyRequest): { method: string; route: string } {
  return { method: request.method, route: request.routeOptions?.url ?? 'unknown' };
}
