/** A webhook receiver on loopback that records its calls and lets tests wait for one. */

import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { portOf } from '../fixtures/free-port.ts';

export interface Call {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** @param answer - called for each request, after its body was read. */
export async function startReceiver(
  answer: (response: ServerResponse, call: Call) => void = (response) => response.end(),
) {
  const calls: Call[] = [];
  const came = new EventEmitter();
  const server = createServer((request, response) => {
    const { method, url: path, headers } = request;
    void text(request).then((body) => {
      const call = { method, path, headers, body, payload: JSON.parse(body) };
      calls.push(call);
      came.emit('call');
      answer(response, call);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  return {
    port,
    url: `http://127.0.0.1:${port}/hook`,
    calls,
    /** Resolves with the first call that `matches`, even if it has already arrived. */
    async first(matches: (call: Call) => boolean): Promise<Call> {
      for (;;) {
        const call = calls.find(matches);
        if (call !== undefined) return call;
        await once(came, 'call');
      }
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
