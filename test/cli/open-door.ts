import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { portOf } from '../fixtures/free-port.ts';
import { relay } from '../fixtures/relay.ts';

/** A relay that can be pointed at another port or cut off; closed until it is pointed anywhere. */
export async function openDoor() {
  const sockets = new Set<Socket>();
  let port: number | null = null;
  const server = createServer((outside) => {
    if (port === null) outside.destroy();
    else relay(outside, connect(port, '127.0.0.1'), sockets);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: portOf(server),
    /** Null also drops open connections. */
    leadTo(next: number | null) {
      port = next;
      if (next === null) sockets.forEach((socket) => socket.destroy());
    },
    close() {
      sockets.forEach((socket) => socket.destroy());
      server.close();
    },
  };
}
