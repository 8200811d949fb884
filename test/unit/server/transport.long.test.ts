import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setInterval } from 'node:timers/promises';
import { connect } from 'node:tls';
import { expect, test } from 'vitest';
import { portOf } from '../../fixtures/free-port.ts';
import { openListening } from './open-server.ts';

test('a request whose headers trickle in is given up after half a minute', {
  timeout: 90_000,
}, async () => {
  const open = await openListening();
  const port = portOf(open.server.server);
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const begunMs = performance.now();
  const answered = text(socket).catch(() => '');
  socket.write('GET /v1/ping HTTP/1.1\r\nHost: a\r\n');
  for await (const _ of setInterval(500)) {
    if (!socket.writable) break;
    socket.write('X-Drip: 1\r\n');
  }
  const answer = await answered;
  const seconds = (performance.now() - begunMs) / 1000;
  await open.close();

  expect(answer).toMatch(/^HTTP\/1.1 408 /);
  expect(answer).toContain('The request did not arrive in time.');
  expect(seconds).toBeGreaterThan(29);
  expect(seconds).toBeLessThan(45);
});
