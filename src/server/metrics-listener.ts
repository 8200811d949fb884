/**
 * Where Prometheus reads: plain HTTP on an address of its own, so that it can be kept inside. It knows one page and
 * asks nobody who he is; nothing of a tenant stands there.
 */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Metrics } from './metrics.ts';

export interface MetricsListener {
  /** 0 was replaced by what the system chose. */
  readonly port: number;
  close(): Promise<void>;
}

interface Parts {
  readonly metrics: Pick<Metrics, 'text' | 'contentType'>;
  readonly onError: (error: unknown) => void;
}

export async function listenForMetrics(
  { host, port }: { readonly host: string; readonly port: number },
  parts: Parts,
): Promise<MetricsListener> {
  const server = createServer((request, response) => void answer(request, response, parts));
  server.listen(port, host);
  await once(server, 'listening');
  const taken = server.address();
  return {
    port: typeof taken === 'object' ? (taken?.port ?? port) : port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { metrics, onError }: Parts,
): Promise<void> {
  const isKnown = request.url === '/metrics' && request.method === 'GET';
  if (!isKnown) return void response.writeHead(404).end();
  try {
    const text = await metrics.text();
    response.writeHead(200, { 'content-type': metrics.contentType, 'cache-control': 'no-store' });
    response.end(text);
  } catch (error) {
    onError(error);
    response.writeHead(500).end();
  }
}
