import { createServer, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { listen } from '../../../fixtures/listen.ts';
import { ping } from './ping.ts';
import { authorityPem, leaf, openTlsServer } from './tls-server.ts';

afterEach(() => void vi.unstubAllEnvs());

/** Allows every connection and records its target. */
async function openProxy() {
  const targets: string[] = [];
  const proxy = createServer();
  proxy.on('connect', ({ url = '' }: IncomingMessage, socket: Socket) => {
    targets.push(url);
    const upstream = connect(Number(url.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    for (const end of [socket, upstream]) end.on('error', () => upstream.destroy());
  });
  return { url: `http://127.0.0.1:${await listen(proxy)}`, targets };
}

test('HTTPS_PROXY and NO_PROXY are obeyed', async () => {
  const { url } = await openTlsServer(leaf);
  const proxy = await openProxy();
  vi.stubEnv('HTTPS_PROXY', proxy.url);

  const proxied = await ping(url, authorityPem);
  vi.stubEnv('NO_PROXY', 'localhost');
  const direct = await ping(url, authorityPem);

  expect([proxied, direct]).toEqual(['pong', 'pong']);
  expect(proxy.targets).toEqual([new URL(url).host]);
});
