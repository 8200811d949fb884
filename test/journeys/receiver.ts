/** A webhook receiver that records its calls and lets tests wait for one. */

import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { portOf } from '../fixtures/free-port.ts';

export interface Call {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

export interface Receiver {
  readonly url: string;
  readonly calls: readonly Call[];
  /** Resolves with the first call that `matches`, even if it has already arrived. */
  first(matches: (call: Call) => boolean): Promise<Call>;
  close(): void;
}

export async function startReceiver(): Promise<Receiver> {
  const calls: Call[] = [];
  const came = new EventEmitter();
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString('utf8');
      calls.push({ headers: request.headers, body, payload: JSON.parse(body) });
      came.emit('call');
      response.writeHead(204).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  return {
    url: `http://127.0.0.1:${port}/hook`,
    calls,
    async first(matches) {
      for (;;) {
        const call = calls.find(matches);
        if (call !== undefined) return call;
        await once(came, 'call');
      }
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
