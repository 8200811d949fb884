/** A server that misbehaves on purpose: each request gets the next answer of a list, the last one again and again. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface ScriptedStore {
  readonly origin: string;
  /** Requests whose body came whole. */
  readonly asked: readonly Asked[];
  close(): Promise<void>;
}

/** Clients take no object without them. */
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

/** The connection stands, and nothing ever comes. */
export const hangs: Answer = () => undefined;

/** Promises a thousand bytes, sends ten and is gone. */
const cutsAt =
  (status: number): Answer =>
  (response) => {
    response.writeHead(status, { ...facts, 'content-length': '1000' });
    response.write('ten bytes.', () => response.socket?.destroy());
  };
export const cuts = cutsAt(200);
export const cutsExcuse = cutsAt(503);

/** Nothing for a while, then the bytes. */
export function says200After(delayMs: number, body: string): Answer {
  return (response, request) => void setTimeout(() => says(200, body)(response, request), delayMs);
}

/** Never silent for long, never done. */
export const drips: Answer = (response) => {
  response.writeHead(200, { ...facts, 'content-length': '1000000' });
  const timer = setInterval(() => response.write('.'), 10);
  response.once('close', () => clearInterval(timer));
};

/** A gigabyte is announced, and waits to be fetched. */
export const boasts: Answer = (response) => {
  response.writeHead(200, { ...facts, 'content-length': '1000000000' }).flushHeaders();
};

/** Refuses, and gives reasons without end. */
export const babbles =
  (status: number): Answer =>
  (response) => {
    const block = Buffer.alloc(1_000_000);
    const more = () => void (response.destroyed || response.write(block, more));
    response.writeHead(status, { 'content-type': 'application/xml' });
    more();
  };

export async function startScripted(...answers: readonly Answer[]): Promise<ScriptedStore> {
  const asked: Asked[] = [];
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    asked.push({ method, url, headers, body: await text(request) });
    answers[Math.min(asked.length, answers.length) - 1]?.(response, request);
  }
  const server = createServer((request, response) => void answer(request, response));
  // Told to clients, who give a connection up earlier while it is not in use.
  server.keepAliveTimeout = 2000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('Not a TCP port.');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    asked,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
