import { createServer as createPlainServer, createServer, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, test, afterEach, vi } from 'vitest';
import type { Pace } from '../../../../src/waiting.ts';
import { freePort } from '../../../fixtures/free-port.ts';
import { listen } from '../../../fixtures/listen.ts';
import { ping } from './ping.ts';
import {
  authority,
  authorityPem,
  leaf,
  newAuthority,
  newLeaf,
  openTlsServer,
} from './tls-server.ts';
import { refusal } from '../../../fixtures/refusal.ts';

/** Tries again without a pause. */
const hasty: Pace = { now: () => performance.now(), wait: async () => undefined };

test('a server is trusted through the given authority', async () => {
  const { url } = await openTlsServer(leaf);

  expect(await ping(url, authorityPem)).toBe('pong');
});

test('an impostor whose authority has the same name gets no request', async () => {
  const impostor = await newLeaf(await newAuthority('an authority of tests'));
  const { url, requests } = await openTlsServer(impostor);

  await expect(ping(url, authorityPem)).rejects.toEqual(refusal('server_untrusted'));
  expect(requests()).toBe(0);
});

test('an unknown authority is refused, and the way to trust it is named', async () => {
  const { url } = await openTlsServer(leaf, [authority]);

  await expect(ping(url, null)).rejects.toEqual(refusal('server_untrusted', '--ca FILE'));
});

test('a certificate for another host is refused and its names are listed', async () => {
  const other = await newLeaf(authority, ['forensics.example', '192.0.2.7']);
  const { url, requests } = await openTlsServer(other);

  await expect(ping(url, authorityPem)).rejects.toEqual(
    refusal('server_untrusted', 'is for other names: forensics.example, 192.0.2.7.'),
  );
  expect(requests()).toBe(0);
});

test.each([
  [[-9, -2], 'has expired'],
  [[2, 9], 'is not valid yet'],
] as const)('a certificate valid for the days %j is refused', async (days, why) => {
  const wrong = await newLeaf(authority, ['localhost'], days);
  const { url } = await openTlsServer(wrong);

  await expect(ping(url, authorityPem)).rejects.toEqual(refusal('server_untrusted', why));
});

test('a server that speaks plain HTTP is reported as such', async () => {
  const port = await listen(createPlainServer((_request, response) => response.end('hello')));
  const url = `https://localhost:${port}`;

  await expect(ping(url, authorityPem, { method: 'POST' }, hasty)).rejects.toEqual(
    refusal('server_unreachable', 'does not use HTTPS on that port'),
  );
});

test('a closed port is reported as such', async () => {
  const refused = ping(`https://127.0.0.1:${await freePort()}`, authorityPem, {}, hasty);

  await expect(refused).rejects.toEqual(refusal('server_unreachable', 'refuses connections'));
});

test('an unknown host is reported as such, at once', async () => {
  const begun = performance.now();

  await expect(ping('https://nowhere.invalid', authorityPem)).rejects.toEqual(
    refusal('server_unreachable', /^nowhere\.invalid (is an unknown host|cannot be looked)/),
  );
  expect(performance.now() - begun).toBeLessThan(3000);
});

const addresses = 'http://localhost:1 localhost:8443 https://a:b@localhost https://localhost/v1';
test.each(addresses.split(' '))('%s is not a server address', async (url) => {
  await expect(ping(url, null)).rejects.toMatchObject({ code: 'usage' });
});

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
