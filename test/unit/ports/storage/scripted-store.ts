/**
 * A server that misbehaves on purpose until the current test ends: each request gets the next answer from a list, and the
 * last one repeats.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { portOf } from '../../../fixtures/free-port.ts';

export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface ScriptedStore {
  readonly origin: string;
  /** Requests whose whole body arrived. */
  readonly requests: readonly ReceivedRequest[];
  readonly close: () => Promise<void>;
}

/** Clients refuse an object without these headers. */
const facts = { etag: '"0"', 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT' };

export function says(
  status: number,
  body: string | Buffer = '',
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return (response) => {
    const contentLength = String(Buffer.byteLength(body));
    response.writeHead(status, { ...facts, 'content-length': contentLength, ...headers }).end(body);
  };
}

/** Keeps the connection open and never responds. */
export const hangs: Answer = () => undefined;

/** Announces a thousand bytes, sends ten and disconnects. */
const cutsAt =
  (status: number): Answer =>
  (response) => {
    response.writeHead(status, { ...facts, 'content-length': '1000' });
    response.write('ten bytes.', () => response.socket?.destroy());
  };
export const cuts = cutsAt(200);
export const cutsError = cutsAt(503);

/** Responds after a delay. */
export function says200After(delayMs: number, body: string): Answer {
  return (response, request) => void setTimeout(() => says(200, body)(response, request), delayMs);
}

/** Keeps sending and never finishes. */
export const drips: Answer = (response) => {
  response.writeHead(200, { ...facts, 'content-length': '1000000' });
  const timer = setInterval(() => response.write('.'), 10);
  response.once('close', () => clearInterval(timer));
};

/** Announces a gigabyte and sends none of it. */
export const announcesGigabyte: Answer = (response) => {
  response.writeHead(200, { ...facts, 'content-length': '1000000000' }).flushHeaders();
};

/** Responds with an endless error message. */
export const endlessError =
  (status: number): Answer =>
  (response) => {
    const block = Buffer.alloc(1_000_000);
    const more = () => void (response.destroyed || response.write(block, more));
    response.writeHead(status, { 'content-type': 'application/xml' });
    more();
  };

export async function startScripted(...answers: readonly Answer[]): Promise<ScriptedStore> {
  const requests: ReceivedRequest[] = [];
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    requests.push({ method, url, headers, body: await text(request) });
    answers[Math.min(requests.length, answers.length) - 1]?.(response, request);
  }
  const server = createServer((request, response) => void answer(request, response));
  // Sent to clients, which close an idle connection earlier than that.
  server.keepAliveTimeout = 2000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(close);
  return { origin: `http://127.0.0.1:${portOf(server)}`, requests, close };
}
