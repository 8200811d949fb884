import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { expect, test } from 'vitest';
import { portOf } from '../../fixtures/free-port.ts';
import { listeningForFile } from './open-server.ts';

const open = await listeningForFile();

async function connectToServer(options: ConnectionOptions = {}): Promise<TLSSocket> {
  const port = portOf(open.server.server);
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options });
  await once(socket, 'secureConnect');
  return socket;
}

async function send(lines: readonly string[]): Promise<string> {
  const socket = await connectToServer();
  socket.write([...lines, 'Connection: close', '', ''].join('\r\n'));
  return text(socket);
}

test.each([
  ['no Host', ['GET /v1/ping HTTP/1.1'], 400, 'exactly one Host header'],
  ['two Hosts', ['GET /v1/ping HTTP/1.1', 'Host: a', 'Host: b'], 400, 'exactly one Host header'],
  ['a NUL', ['GET /docs/static/%00 HTTP/1.1', 'Host: a'], 400, 'The address is not valid.'],
] as const)(
  'a request with %s gets a reason and a request id',
  async (_, lines, status, message) => {
    const answer = await send(lines);

    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toMatch(/^x-request-id: [0-9a-f-]{36}\r$/m);
    expect(answer).toContain('x-error-code: invalid_request\r\n');
    expect(answer).toContain('{"success":false,"message":"');
    expect(answer).toContain(message);
  },
);

test('TLS 1.2 offers no suite with CBC', async () => {
  const old = { maxVersion: 'TLSv1.2' } as const;
  const socket = await connectToServer(old);
  const { name } = socket.getCipher();
  socket.destroy();

  expect(name).toMatch(/GCM|CHACHA20/);
  await expect(
    connectToServer({
      ...old,
      ciphers: 'ECDHE-RSA-AES128-SHA:ECDHE-ECDSA-AES128-SHA:AES128-SHA256',
    }),
  ).rejects.toThrow(/handshake failure|ECONNRESET/);
});

test('a request that arrives while answers wait to be read is processed', async () => {
  const socket = await connectToServer();
  const count = 60;
  socket.write('GET /v1/schema HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(count));
  await expect.poll(() => socket.readableLength).toBeGreaterThan(0);
  // More than one TLS record: the second arrives while the parser of the first is paused.
  const body = 'x'.repeat(40_000);
  socket.write(
    `PUT /v1/blobs/none HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  const answers = (await text(socket)).match(/HTTP\/1\.1 \d+/g);

  expect(answers).toHaveLength(count + 1);
  expect(answers?.at(-1)).toBe('HTTP/1.1 404');
});
