import { createHash } from 'node:crypto';
import { request } from 'node:https';
import { connect } from 'node:tls';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { bucket, startEmbeddedServer } from '../../fixtures/embedded-server.ts';
import { sendRaw } from '../../fixtures/raw-request.ts';
import { createFailingDisk } from '../ports/storage/failing-disk.ts';

const maxObjectBytes = 100_000;
const patience = { timeout: 10_000, interval: 5 };

const server = await startEmbeddedServer({ maxObjectBytes, idleTimeoutMs: 150 });
afterAll(() => server.close());

afterEach(async () => {
  await server.storeOf(bucket).delete('key');
});

function put(body: string | Buffer, headers: Record<string, string> = {}) {
  return sendRaw(server, server.sign('PUT', 'key'), {
    method: 'PUT',
    body,
    headers: { 'content-length': Buffer.byteLength(body).toString(), ...headers },
  });
}

/** Text of the object, or null. */
async function storedText(): Promise<string | null> {
  const store = server.storeOf(bucket);
  if ((await store.head('key')) === null) return null;
  return Buffer.from(await store.read('key', 10_000_000)).toString();
}

describe('PUT', () => {
  test('answers with the ETag and keeps the content type', async () => {
    const answer = await put('bytes', { 'content-type': 'image/jpeg' });
    const got = await sendRaw(server, server.sign('GET', 'key'));

    const etag = `"${createHash('md5').update('bytes').digest('hex')}"`;
    expect([answer.status, answer.headers.etag, answer.body]).toEqual([200, etag, '']);
    expect(got.headers).toMatchObject({ etag, 'content-type': 'image/jpeg' });
  });

  test('of the maximum size is stored, and one byte more is refused by its header', async () => {
    const fits = await put(Buffer.alloc(maxObjectBytes));
    const tooLarge = await put(Buffer.alloc(maxObjectBytes + 1));

    expect([fits.status, tooLarge.status, tooLarge.code]).toEqual([200, 413, 'blob_too_large']);
    expect((await storedText())?.length).toBe(maxObjectBytes);
  });

  test('of unknown length is stored up to the maximum size and leaves nothing above it', async () => {
    const chunked = { 'transfer-encoding': 'chunked' };
    const send = (body: Buffer) =>
      sendRaw(server, server.sign('PUT', 'key'), { method: 'PUT', body, headers: chunked });

    const tooLarge = await send(Buffer.alloc(maxObjectBytes + 1));
    const left = server.files();
    const fits = await send(Buffer.alloc(maxObjectBytes));

    expect([tooLarge.status, tooLarge.code, left]).toEqual([413, 'blob_too_large', []]);
    expect([fits.status, (await storedText())?.length]).toEqual([200, maxObjectBytes]);
  });

  test('far too large gets 413, even if the client reads only after it has sent everything', async () => {
    const body = Buffer.alloc(30_000_000);

    const text = await exchange(putHead(`Content-Length: ${body.length}`), body);

    expect(text).toMatch(/^HTTP\/1\.1 413 .*x-error-code: blob_too_large/s);
    expect(server.files()).toEqual([]);
  });

  test('whose client disconnects leaves the previous object and nothing else', async () => {
    await put('old');
    const { port, ca } = server;
    const to = { host: '127.0.0.1', port, ca, method: 'PUT', path: server.sign('PUT', 'key') };
    const outgoing = request({ ...to, headers: { 'content-length': '50000' } });
    outgoing.on('error', () => undefined);
    outgoing.write(Buffer.alloc(20_000));
    await vi.waitUntil(() => server.files().length === 2, patience);

    outgoing.destroy();

    await vi.waitUntil(() => server.files().length === 1, patience);
    expect([await storedText(), server.logged]).toEqual(['old', []]);
  });

  test('whose client stops sending gets 408 and leaves nothing', async () => {
    const text = await exchange(putHead('Content-Length: 9'), 'abc');

    expect(text).toMatch(/^HTTP\/1\.1 408 .*connection: close/s);
    expect([await storedText(), server.files()]).toEqual([null, []]);
  });

  test('of a part is refused and keeps the previous object', async () => {
    await put('whole');
    const answer = await put('art', { 'content-range': 'bytes 1-3/5' });

    expect([answer.status, answer.code]).toEqual([400, 'invalid_request']);
    expect(await storedText()).toBe('whole');
  });

  test('without a length is refused', async () => {
    const text = await exchange(putHead('Connection: close'));

    expect(text).toMatch(/^HTTP\/1\.1 411 /);
  });
});

describe('a GET', () => {
  test('whose client stops reading is cut off', async () => {
    const large = await startEmbeddedServer({ idleTimeoutMs: 150 });
    await large.storeOf(bucket).put('large', Buffer.alloc(40_000_000));
    const socket = connect({ host: '127.0.0.1', port: large.port, ca: large.ca });
    socket.write(`GET ${large.sign('GET', 'large')} HTTP/1.1\r\nHost: a\r\n\r\n`);
    socket.on('error', () => undefined);
    let received = 0;
    // Read the beginning, then nothing until the server has given up.
    await new Promise((resolve) => socket.once('readable', resolve));
    await vi.waitUntil(async () => (await large.connections()) === 0, patience);
    for await (const part of socket) received += Buffer.from(part).length;

    expect(received).toBeLessThan(40_000_000);
    await large.close();
  });
});

test('a full disk answers 507 and keeps the previous object', async () => {
  const disk = createFailingDisk();
  const full = await startEmbeddedServer({ fileSystem: disk.fileSystem });
  disk.fail('write');
  await full.storeOf(bucket).put('key', Buffer.from('old'));

  const answer = await sendRaw(full, full.sign('PUT', 'key'), { method: 'PUT', body: 'new' });
  const got = await sendRaw(full, full.sign('GET', 'key'));

  expect([answer.status, answer.code, got.body]).toEqual([507, 'no_space_left', 'old']);
  expect(full.files().length).toBe(1);
  await full.close();
});

function putHead(header: string): string {
  return `PUT ${server.sign('PUT', 'key')} HTTP/1.1\r\nHost: a\r\n${header}\r\n\r\n`;
}

/** Sends exactly `texts`, and returns what arrives until the answer is complete or the server closes. */
async function exchange(...texts: readonly (string | Buffer)[]): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port: server.port, ca: server.ca });
  for (const text of texts) {
    await new Promise<void>((resolve, reject) => {
      socket.write(text, (error) => (error instanceof Error ? reject(error) : resolve()));
    });
  }
  let answer = '';
  for await (const part of socket) {
    answer += String(part);
    if (answer.endsWith('}')) break;
  }
  return answer;
}
