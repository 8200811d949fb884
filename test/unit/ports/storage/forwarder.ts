/** A second address for a server on loopback, like that of a proxy or load balancer. */

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { relay } from '../../../fixtures/relay.ts';

export interface Forwarder {
  readonly port: number;
  /** The number of connections so far. */
  connections(): number;
  close(): Promise<void>;
}

export async function startForwarder(target: { readonly port: number }): Promise<Forwarder> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((outside) => {
    connections++;
    relay(outside, connect(target.port, '127.0.0.1'), sockets);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('Not a TCP port.');
  return {
    port: address.port,
    connections: () => connections,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
