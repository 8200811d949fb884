import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { Agent } from 'node:https';
import { Readable } from 'node:stream';
import { Client } from 'minio';
import { fetch } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codeOf } from './code-of.ts';
import { bucket, type DoorServer, keys, otherBucket, region, startDoor } from './door-server.ts';
import { sendRaw } from './raw-request.ts';

// A client that we did not write, against a real server: what it signs, sends and understands is not our opinion.
let server: DoorServer;
let agent: Agent;
let client: Client;

beforeAll(async () => {
  server = await startDoor();
  agent = new Agent({ ca: server.ca, keepAlive: true });
  client = clientFor(bucket);
});

afterAll(async () => {
  agent.destroy();
  await server.close();
});

function clientFor(name: string, secretKey = keys.credentialsFor(name).secretAccessKey): Client {
  return new Client({ ...place(name), secretKey });
}

function place(name = bucket) {
  const { accessKeyId: accessKey, secretAccessKey: secretKey } = keys.credentialsFor(name);
  const at = { endPoint: '127.0.0.1', port: server.port, useSSL: true, region };
  return { ...at, accessKey, secretKey, transportAgent: agent };
}

function* inPieces(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000);
}

async function bytesOf(stream: Readable): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}

describe('the minio client', () => {
  test('puts, stats, gets, gets a part of, and removes an object', async () => {
    const bytes = randomBytes(300_000);
    const metaData = { 'Content-Type': 'image/jpeg', 'X-Amz-Meta-Case': 'A 17' };

    const { etag } = await client.putObject(bucket, 'a/picture.jpg', bytes, bytes.length, metaData);
    const stat = await client.statObject(bucket, 'a/picture.jpg');
    const whole = await bytesOf(await client.getObject(bucket, 'a/picture.jpg'));
    const part = await bytesOf(await client.getPartialObject(bucket, 'a/picture.jpg', 1000, 50));
    await client.removeObject(bucket, 'a/picture.jpg');

    expect(stat).toMatchObject({
      size: 300_000,
      etag,
      metaData: { 'content-type': 'image/jpeg', case: 'A 17' },
    });
    expect(whole.equals(bytes)).toBe(true);
    expect(part.equals(bytes.subarray(1000, 1050))).toBe(true);
    expect(await codeOf(() => client.statObject(bucket, 'a/picture.jpg'))).toBe('NotFound');
  });

  test.each(['with space', 'plus+', 'umlaut/äöü', '100%', 'hash#', 'query?', 'x'.repeat(1000)])(
    'stores and finds the key %j',
    async (key) => {
      await client.putObject(bucket, key, Buffer.from(key));

      expect((await bytesOf(await client.getObject(bucket, key))).toString()).toBe(key);
      const listed = await listNames(key);
      expect(listed).toEqual([key]);
      await client.removeObject(bucket, key);
    },
  );

  test('lists in order, by prefix and by folder, the old way and the new', async () => {
    const names = ['list/a', 'list/b/1', 'list/b/2', 'list/c', 'list/ä', 'list/😀', 'list/\uffee'];
    for (const name of names.toReversed()) await client.putObject(bucket, name, Buffer.from('x'));

    const flat = await listNames('list/', true);
    const folders = await listNames('list/', false);
    const elder = await namesOf(client.listObjects(bucket, 'list/', true));
    const after = await namesOf(client.listObjectsV2(bucket, 'list/', true, 'list/b/2'));

    // By bytes: what lies outside the basic plane comes last, although UTF-16 would put it before U+FFEE.
    const ordered = [
      'list/a',
      'list/b/1',
      'list/b/2',
      'list/c',
      'list/ä',
      'list/\uffee',
      'list/😀',
    ];
    expect(flat).toEqual(ordered);
    expect(elder).toEqual(ordered);
    expect(new Set(folders)).toEqual(
      new Set(['list/a', 'list/b/', 'list/c', 'list/ä', 'list/\uffee', 'list/😀']),
    );
    expect(after).toEqual(ordered.slice(3));
  });

  test('finds the bucket and its region, and hears that it exists', async () => {
    expect(await client.bucketExists(bucket)).toBe(true);
    expect(await client.getBucketRegionAsync(bucket)).toBe(region);
    expect(await codeOf(() => client.makeBucket(bucket, region))).toBe('BucketAlreadyOwnedByYou');
  });

  test('makes presigned URLs that a browser can use', async () => {
    const key = 'presigned/ä +%#?.png';
    const putUrl = await client.presignedPutObject(bucket, key, 60);
    const getUrl = await client.presignedGetObject(bucket, key, 60, {
      'response-content-disposition': 'attachment; filename="evidence one.png"',
    });

    const put = await fetch(putUrl, {
      method: 'PUT',
      body: 'bytes',
      dispatcher: server.dispatcher,
    });
    const got = await fetch(getUrl, { dispatcher: server.dispatcher });

    expect([put.status, got.status, await got.text()]).toEqual([200, 200, 'bytes']);
    expect(got.headers.get('content-disposition')).toBe('attachment; filename="evidence one.png"');
  });

  test('makes presigned URLs of which nothing can be changed', async () => {
    const [put, get] = [
      await client.presignedPutObject(bucket, 'signed', 60),
      await client.presignedGetObject(bucket, 'signed', 60),
    ];
    const anHourAgo = new Date(Date.now() - 3_600_000);
    const expired = await client.presignedGetObject(bucket, 'signed', 60, {}, anHourAgo);

    expect([await send('PUT', put), await send('GET', get)]).toEqual([200, 200]);
    expect([
      await send('DELETE', get),
      await send('GET', get.replace('/signed?', '/signe?')),
      await send('GET', get.replace(bucket, otherBucket)),
      await send('GET', get.replace('X-Amz-Expires=60', 'X-Amz-Expires=61')),
      await send('GET', get.replace(/(X-Amz-Signature=)[0-9a-f]/, '$1x')),
      await send('GET', `${get}&response-content-type=text%2Fhtml`),
      await send('PUT', `${put}&uploadId=1&partNumber=1`),
      await send('GET', get, 'localhost'),
      await send('GET', expired),
    ]).toEqual([403, 403, 403, 403, 403, 403, 403, 403, 403]);
    expect((await bytesOf(await client.getObject(bucket, 'signed'))).toString()).toBe('bytes');
  });

  test('uploads a large stream in parts, and finds and removes what it did not finish', async () => {
    const bytes = randomBytes(12_000_000);
    const inParts = new Client({ ...place(), partSize: 5_242_880 });
    const started = await inParts.initiateNewMultipartUpload(bucket, 'never/finished', {});

    const { etag } = await inParts.putObject(bucket, 'large', Readable.from(inPieces(bytes)));
    const open = await namesOf(inParts.listIncompleteUploads(bucket, 'never/', true));
    const found = await inParts.findUploadId(bucket, 'never/finished');
    await inParts.removeIncompleteUpload(bucket, 'never/finished');

    expect(etag).toMatch(/^[0-9a-f]{32}-3$/);
    expect((await bytesOf(await client.getObject(bucket, 'large'))).equals(bytes)).toBe(true);
    expect([open, found]).toEqual([['never/finished'], started]);
    expect(await namesOf(inParts.listIncompleteUploads(bucket, '', true))).toEqual([]);
  });

  test('deletes many objects at once', async () => {
    const names = ['many/1', 'many/ä &<>"\'', 'many/3'];
    for (const name of names) await client.putObject(bucket, name, Buffer.from('x'));

    await client.removeObjects(bucket, names.slice(0, 2));

    expect(await listNames('many/')).toEqual(['many/3']);
  });

  test('is refused with a wrong secret, and at the bucket of another tenant', async () => {
    const liar = clientFor(bucket, 'not the secret');
    const stranger = clientFor(otherBucket);
    await client.putObject(bucket, 'mine', Buffer.from('x'));

    expect([
      await codeOf(() => liar.putObject(bucket, 'mine', Buffer.from('y'))),
      await codeOf(() => liar.getObject(bucket, 'mine')),
      await codeOf(() => stranger.getObject(bucket, 'mine')),
      await codeOf(() => stranger.putObject(bucket, 'mine', Buffer.from('y'))),
      await codeOf(() => stranger.removeObject(bucket, 'mine')),
      await codeOf(() => namesOf(stranger.listObjectsV2(bucket, '', true))),
    ]).toEqual([
      'SignatureDoesNotMatch',
      'SignatureDoesNotMatch',
      'AccessDenied',
      'AccessDenied',
      'AccessDenied',
      'AccessDenied',
    ]);
    expect((await bytesOf(await client.getObject(bucket, 'mine'))).toString()).toBe('x');
  });

  test('signs the digest of its bodies where there is no TLS, and is understood', async () => {
    const plain = await startDoor({}, createServer());
    const { accessKeyId: accessKey, secretAccessKey: secretKey } = keys.credentialsFor(bucket);
    const at = { endPoint: '127.0.0.1', port: plain.port, useSSL: false, region };
    const plainClient = new Client({ ...at, accessKey, secretKey });

    await plainClient.putObject(bucket, 'digest ü', Buffer.from('bytes'));
    const got = await bytesOf(await plainClient.getObject(bucket, 'digest ü'));

    expect(got.toString()).toBe('bytes');
    await plain.close();
  });

  test('hears NotImplemented for what the store does not offer', async () => {
    expect([
      await codeOf(() => client.getBucketPolicy(bucket)),
      await codeOf(() => client.copyObject(bucket, 'copy', `/${bucket}/mine`)),
      await codeOf(() => client.getObjectTagging(bucket, 'mine')),
    ]).toEqual(['NotImplemented', 'NotImplemented', 'NotImplemented']);
  });
});

async function send(method: string, url: string, host = new URL(url).host): Promise<number> {
  const body = method === 'PUT' ? { body: 'bytes' } : {};
  return (await sendRaw(server, url, { method, headers: { host }, ...body })).status;
}

async function listNames(prefix: string, isRecursive = true): Promise<string[]> {
  return namesOf(client.listObjectsV2(bucket, prefix, isRecursive));
}

async function namesOf(
  stream: AsyncIterable<{ name?: string; prefix?: string; key?: string }>,
): Promise<string[]> {
  const names: string[] = [];
  for await (const { name, prefix, key } of stream) names.push(name ?? prefix ?? key ?? '');
  return names;
}
