/**
 * One line an event, as fields. A request is logged by its route, never by its address: queries hold signatures of
 * presigned URLs, and headers contain keys. Only a caller who was not let in is logged with a network address.
 */

import type { FastifyInstance, FastifyLoggerOptions, FastifyRequest } from 'fastify';
import type { LogLevel } from '../config/config.ts';

export interface LogTarget {
  write(line: string): void;
}

type LoggerOptions = FastifyLoggerOptions & { stream: LogTarget };

interface ErrorLine {
  readonly [member: string]: unknown;
  readonly type: string;
  readonly message: string;
  readonly stack: string;
  readonly code?: string;
  readonly cause?: ErrorLine;
}

/** @param target - where lines go; standard error when a server runs. */
export function loggerOptions(level: LogLevel, target: LogTarget): LoggerOptions {
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

export function logAnswers(server: FastifyInstance): void {
  server.addHook('onResponse', async (request, reply) => {
    request.log.info(
      {
        ...describeRequest(request),
        status: reply.raw.statusCode,
        ms: Math.round(reply.elapsedTime),
        code: reply.getHeader('x-error-code'),
        caller: request.principal?.id ?? undefined,
        tenantId: request.tenant?.id,
        ...addressOfStranger(request, reply.raw.statusCode),
      },
      'answered',
    );
  });
}

/** Of a login, key or token that was refused, and of nobody else: whoever guesses is found by the network address. */
function addressOfStranger(
  { ip, headers, principal, routeOptions }: FastifyRequest,
  status: number,
): { readonly from?: string } {
  const isLogin = routeOptions.url === '/v1/auth/login' && status >= 400;
  const triedKey = headers.authorization !== undefined && principal === null;
  const isRefused = isLogin || status === 401 || (status === 403 && triedKey);
  return isRefused ? { from: ip } : {};
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
