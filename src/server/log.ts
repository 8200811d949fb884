/**
 * One line per event, as fields. A request is logged by its route, never its address, because
 * queries contain signatures of presigned URLs; headers, which contain keys, are left out. Only for
 * a rejected caller are the network address and the attempted account logged.
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

/** @param target - where lines are written; standard error on a running server. */
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

/** @param accountKey - key for hashing accounts; null logs them as they are. */
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

/** Only for a rejected login, key or token: address and account identify someone who is guessing. */
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

/** Normalised; null if it is not an email address, because people also type their password into the wrong field. */
function mailAddressIn(body: unknown): string | null {
  if (typeof body !== 'object' || body === null || !('email' in body)) return null;
  const { email } = body;
  const isOne = typeof email === 'string' && /^[^\s@]{1,64}@[^\s@]{1,189}$/.test(email);
  return isOne ? email.toLowerCase() : null;
}

/** The part of a well-formed key before its secret, which identifies the tenant. */
function keyStartIn(authorization = ''): string | null {
  const [, secret = ''] = /^(?:ApiKey|Bearer) (\S+)$/i.exec(authorization) ?? [];
  const tag = readTag(secret);
  return tag === null ? null : `sk-${tag}`;
}

const deepestCause = 5;

/**
 * What failed and where. Other members of a foreign error are left out, because they may contain
 * the request, with its tokens and passwords.
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
