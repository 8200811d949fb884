/** Which S3 error a failure is, and how it reaches a client that may still be sending. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ErrorCode, ForensicsError, toForensicsError } from '../../../errors.ts';
import { S3Error, type S3ErrorCode } from './errors.ts';

const codes: Partial<Record<ErrorCode, S3ErrorCode>> = {
  blob_too_large: 'EntityTooLarge',
  conflict: 'PreconditionFailed',
  no_space_left: 'InsufficientStorage',
  store_unavailable: 'ServiceUnavailable',
};

/** A client must have read the answer before the connection is closed; for so long it may go on sending. */
const lingerMs = 10_000;

export function toS3Error(error: unknown): S3Error {
  if (error instanceof S3Error) return error;
  const code = error instanceof ForensicsError ? codes[error.code] : undefined;
  // A full disk and a full quota are for different people to fix; the message names the one.
  if (code === 'InsufficientStorage') return new S3Error(code, toForensicsError(error).message);
  return new S3Error(code ?? 'InternalError');
}

/** @param mayBeSending - False when the client waits for `100 Continue` that was never sent. */
export async function sendError(
  request: IncomingMessage,
  response: ServerResponse,
  error: S3Error,
  mayBeSending: boolean,
): Promise<void> {
  const body = Buffer.from(
    xmlError({
      Code: error.code,
      Message: error.message,
      Resource: (request.url ?? '').split('?')[0]!,
      RequestId: String(response.getHeader('x-amz-request-id')),
      ...error.extra,
    }),
  );
  response.statusCode = error.status;
  response.setHeader('Content-Type', 'application/xml');
  response.setHeader('Content-Length', body.length);
  const hasUnreadBody = hasBody(request) && !request.complete;
  if (hasUnreadBody) response.setHeader('Connection', 'close');
  if (request.method === 'HEAD') response.flushHeaders();
  else response.write(body);
  if (hasUnreadBody && mayBeSending && error.code !== 'RequestTimeout') await linger(request);
  response.end();
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

function xmlError(fields: Readonly<Record<string, string>>): string {
  const elements = Object.entries(fields).map(([name, text]) => {
    // Control characters as references, as S3 itself writes them.
    const escaped = text.replace(
      /[&<>"]|\p{Cc}/gu,
      (mark) => entities[mark] ?? `&#x${mark.charCodeAt(0).toString(16)};`,
    );
    return `<${name}>${escaped}</${name}>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Error>${elements.join('')}</Error>`;
}

/** Reads on and discards: closing over unread bytes would reset the connection and lose the answer. */
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
