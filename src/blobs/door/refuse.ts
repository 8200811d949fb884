/** How the door says no: which refusal an error is, and how it reaches a client that may still be sending. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ErrorCode, ForensicsError, toForensicsError } from '../../errors.ts';
import { Refusal, type RefusalCode } from '../refusal.ts';
import { type Element, xmlDocument } from './xml.ts';

const codes: Partial<Record<ErrorCode, RefusalCode>> = {
  blob_too_large: 'EntityTooLarge',
  conflict: 'PreconditionFailed',
  no_space_left: 'InsufficientStorage',
  store_unavailable: 'ServiceUnavailable',
};

/** A client must have read the answer before the connection is cut; so long may it go on sending. */
const lingerMs = 10_000;

export function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const code = error instanceof ForensicsError ? codes[error.code] : undefined;
  // A full disk and a full quota want different people to do something; the message says which it is.
  if (code === 'InsufficientStorage') return new Refusal(code, toForensicsError(error).message);
  return new Refusal(code ?? 'InternalError');
}

/** @param mayBeSending - False when the client waits for `100 Continue` that was never sent. */
export async function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  refusal: Refusal,
  mayBeSending: boolean,
): Promise<void> {
  const body = Buffer.from(xmlDocument(errorElement(request, response, refusal)));
  response.statusCode = refusal.status;
  response.setHeader('Content-Type', 'application/xml');
  response.setHeader('Content-Length', body.length);
  const hasUnreadBody = hasBody(request) && !request.complete;
  if (hasUnreadBody) response.setHeader('Connection', 'close');
  if (request.method === 'HEAD') response.flushHeaders();
  else response.write(body);
  if (hasUnreadBody && mayBeSending && refusal.code !== 'RequestTimeout') await linger(request);
  response.end();
}

function errorElement(
  request: IncomingMessage,
  response: ServerResponse,
  refusal: Refusal,
): Element {
  return [
    'Error',
    [
      ['Code', refusal.code],
      ['Message', refusal.message],
      ['Resource', (request.url ?? '').split('?')[0]!],
      ['RequestId', String(response.getHeader('x-amz-request-id'))],
      ...Object.entries(refusal.extra),
    ],
  ];
}

/** Reads on and throws away: closing over unread bytes would reset the connection and eat the answer. */
async function linger(request: IncomingMessage): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, lingerMs);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    request.once('close', done).once('error', done).resume();
  });
}

function hasBody(request: IncomingMessage): boolean {
  const { headers } = request;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
