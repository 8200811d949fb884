import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { ping } from './ping.ts';
import { newAuthority, newLeaf, openTlsServer, portOf } from './tls-server.ts';

afterEach(() => void vi.unstubAllEnvs());

/** Lets everybody through, and remembers where they went. */
async function openProxy() {
  const asked: string[] = [];
  const proxy = createServer().listen(0, '127.0.0.1');
  proxy.on('connect', ({ url = '' }: IncomingMessage, socket: Socket) => {
    asked.push(url);
    const onward = connect(Number(url.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    for (const end of [socket, onward]) end.on('error', () => onward.destroy());
  });
  await once(proxy, 'listening');
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return { url: `http://127.0.0.1:${portOf(proxy.address())}`, asked };
}

test('HTTPS_PROXY is obeyed, NO_PROXY too, and a pin goes past both to the server itself', async () => {
  const authority = await newAuthority('an authority of tests');
  const leaf = await newLeaf(authority);
  const { url } = await openTlsServer(leaf);
  const proxy = await openProxy();
  const known = { by: 'authority', pem: authority.certificate.toString() } as const;
  const sha256 = leaf.certificate.fingerprint256.replaceAll(':', '').toLowerCase();
  vi.stubEnv('HTTPS_PROXY', proxy.url);

  const through = await ping(url, known);
  const pinned = await ping(url, { by: 'fingerprint', sha256 });
  vi.stubEnv('NO_PROXY', 'localhost');
  const past = await ping(url, known);

  expect([through, pinned, past]).toEqual(['pong', 'pong', 'pong']);
  expect(proxy.asked).toEqual([new URL(url).host]);
});
