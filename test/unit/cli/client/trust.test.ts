import { once } from 'node:events';
import { createServer as createPlainServer } from 'node:http';
import { createServer as createSilentServer } from 'node:net';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Trust } from '../../../../src/cli/client/connect.ts';
import type { Pace } from '../../../../src/retry.ts';
import type { Issued } from '../../../../src/server/certificate.ts';
import { portOf } from '../../../fixtures/free-port.ts';
import { ping } from './ping.ts';
import { newAuthority, newLeaf, openTlsServer } from './tls-server.ts';

let authority: Issued;
let leaf: Issued;
beforeAll(async () => {
  authority = await newAuthority('an authority of tests');
  leaf = await newLeaf(authority);
});

const pinOf = ({ certificate }: Issued): Trust => ({
  by: 'fingerprint',
  sha256: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
});
const authorityOf = ({ certificate }: Issued): Trust => ({
  by: 'authority',
  pem: certificate.toString(),
});

/** Tries again without a pause. */
const hasty: Pace = { now: () => performance.now(), wait: async () => undefined };

test('a server is trusted through the given authority', async () => {
  const { url } = await openTlsServer(leaf);

  expect(await ping(url, authorityOf(authority))).toBe('pong');
});

test('a server is trusted through its certificate’s fingerprint, without its authority', async () => {
  const { url } = await openTlsServer(leaf);

  expect(await ping(url, pinOf(leaf))).toBe('pong');
});

test('a server that sends its authority is trusted through the authority’s fingerprint', async () => {
  const { url } = await openTlsServer(leaf, [authority]);

  expect(await ping(url, pinOf(authority))).toBe('pong');
});

test('checking a pinned certificate sends no extra request', async () => {
  const { url, requests } = await openTlsServer(leaf);

  await ping(url, pinOf(leaf));

  expect(requests()).toBe(1);
});

test('a server without the pinned fingerprint is refused, and its own is named', async () => {
  const { url, requests } = await openTlsServer(leaf);

  const refused = ping(url, pinOf(authority));

  await expect(refused).rejects.toMatchObject({
    code: 'server_untrusted',
    message: expect.stringContaining(leaf.certificate.fingerprint256),
  });
  expect(requests()).toBe(0);
});

test('an impostor that sends the pinned authority with its own certificate gets no request', async () => {
  const impostor = await newLeaf(await newAuthority('an authority of tests'));
  const { url, requests } = await openTlsServer(impostor, [authority]);

  await expect(ping(url, pinOf(authority))).rejects.toMatchObject({ code: 'server_untrusted' });
  expect(requests()).toBe(0);
});

test('an impostor whose authority has the same name gets no request', async () => {
  const impostor = await newLeaf(await newAuthority('an authority of tests'));
  const { url, requests } = await openTlsServer(impostor);

  await expect(ping(url, authorityOf(authority))).rejects.toMatchObject({
    code: 'server_untrusted',
  });
  expect(requests()).toBe(0);
});

test('an unknown authority is refused, and both ways to trust it are named', async () => {
  const { url } = await openTlsServer(leaf, [authority]);

  await expect(ping(url, { by: 'system' })).rejects.toMatchObject({
    code: 'server_untrusted',
    message: expect.stringMatching(/--ca FILE.*--fingerprint/),
  });
});

test.each([['authority'], ['fingerprint']])(
  'a certificate for another host is refused and its names are listed, even when trusted by %s',
  async (by) => {
    const other = await newLeaf(authority, ['forensics.example', '192.0.2.7']);
    const { url, requests } = await openTlsServer(other);

    const refused = ping(url, by === 'authority' ? authorityOf(authority) : pinOf(other));

    await expect(refused).rejects.toMatchObject({
      code: 'server_untrusted',
      message: expect.stringContaining('is for other names: forensics.example, 192.0.2.7.'),
    });
    expect(requests()).toBe(0);
  },
);

test.each([
  [[-9, -2], 'has expired'],
  [[2, 9], 'is not valid yet'],
] as const)(
  'a certificate valid for the days %j is refused, even when it is pinned',
  async (days, why) => {
    const wrong = await newLeaf(authority, ['localhost'], days);
    const { url } = await openTlsServer(wrong);

    await expect(ping(url, pinOf(wrong))).rejects.toMatchObject({
      code: 'server_untrusted',
      message: expect.stringContaining(why),
    });
  },
);

test('a server that speaks plain HTTP is reported as such', async () => {
  const server = createPlainServer((_request, response) => response.end('hello')).listen(0);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `https://localhost:${portOf(server)}`;

  for (const trust of [authorityOf(authority), pinOf(leaf)]) {
    await expect(ping(url, trust, { method: 'POST' }, hasty)).rejects.toMatchObject({
      code: 'server_unreachable',
      message: expect.stringContaining('does not use HTTPS on that port'),
    });
  }
});

test('a closed port is reported as such', async () => {
  const server = createSilentServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  server.close();
  await once(server, 'close');

  const refused = ping(`https://127.0.0.1:${port}`, pinOf(leaf), {}, hasty);

  await expect(refused).rejects.toMatchObject({
    code: 'server_unreachable',
    message: expect.stringContaining('refuses connections'),
  });
});

test('an unknown host is reported as such, at once', async () => {
  const begun = performance.now();

  await expect(ping('https://nowhere.invalid', authorityOf(authority))).rejects.toMatchObject({
    code: 'server_unreachable',
    message: expect.stringMatching(/^nowhere\.invalid (is an unknown host|cannot be looked)/),
  });
  expect(performance.now() - begun).toBeLessThan(3000);
});

test.each([
  ['http://localhost:1'],
  ['localhost:8443'],
  ['https://a:b@localhost'],
  ['https://localhost/v1'],
])('%s is not a server address', async (url) => {
  await expect(ping(url, { by: 'system' })).rejects.toMatchObject({ code: 'usage' });
});
