import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { Agent } from 'node:https';
import { Readable } from 'node:stream';
import { Client } from 'minio';
import { fetch } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codeOf } from './code-of.ts';
import { sendRaw } from './raw-request.ts';
import {
  bucket,
  keys,
  otherBucket,
  region,
  type S3ApiServer,
  startS3Api,
} from './s3-api-server.ts';

// A client that we did not write, against a real server: what it signs, sends and understands is not our opinion.
let server: S3ApiServer;
let agent: Agent;
let client: Client;

beforeAll(async () => {
  server = await startS3Api();
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

async function bytesOf(stream: Readable): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}

describe('the minio client', () => {
  test('puts, stats, gets, gets a part of, and removes an object', async () => {
    const bytes = randomBytes(300_000);
    const metaData = { 'Content-Type': 'image/jpeg' };

    const { etag } = await client.putObject(bucket, 'a/picture.jpg', bytes, bytes.length, metaData);
    const stat = await client.statObject(bucket, 'a/picture.jpg');
    const whole = await bytesOf(await client.getObject(bucket, 'a/picture.jpg'));
    const part = await bytesOf(await client.getPartialObject(bucket, 'a/picture.jpg', 1000, 50));
    await client.removeObject(bucket, 'a/picture.jpg');

    expect(stat).toMatchObject({
      size: 300_000,
      etag,
      metaData: { 'content-type': 'image/jpeg' },
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
      await client.removeObject(bucket, key);
    },
  );

  test('makes presigned URLs that a browser can use', async () => {
    const key = 'presigned/ä +%#?.png';
    const putUrl = await client.presignedPutObject(bucket, key, 60);
    const getUrl = await client.presignedGetObject(bucket, key, 60);

    const put = await fetch(putUrl, {
      method: 'PUT',
      body: 'bytes',
      dispatcher: server.dispatcher,
    });
    const got = await fetch(getUrl, { dispatcher: server.dispatcher });

    expect([put.status, got.status, await got.text()]).toEqual([200, 200, 'bytes']);
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
    ]).toEqual([
      'SignatureDoesNotMatch',
      'SignatureDoesNotMatch',
      'AccessDenied',
      'AccessDenied',
      'AccessDenied',
    ]);
    expect((await bytesOf(await client.getObject(bucket, 'mine'))).toString()).toBe('x');
  });

  test('signs the digest of its bodies where there is no TLS, and is understood', async () => {
    const plain = await startS3Api({}, createServer());
    const { accessKeyId: accessKey, secretAccessKey: secretKey } = keys.credentialsFor(bucket);
    const at = { endPoint: '127.0.0.1', port: plain.port, useSSL: false, region };
    const plainClient = new Client({ ...at, accessKey, secretKey });

    await plainClient.putObject(bucket, 'digest ü', Buffer.from('bytes'));
    const got = await bytesOf(await plainClient.getObject(bucket, 'digest ü'));

    expect(got.toString()).toBe('bytes');
    await plain.close();
  });

  test('gets NotImplemented for what the server does not support', async () => {
    const inParts = new Client({ ...place(), partSize: 5_242_880 });

    expect([
      await codeOf(() => inParts.putObject(bucket, 'large', Readable.from(randomBytes(6_000_000)))),
      await codeOf(() => client.removeObjects(bucket, ['mine'])),
      await codeOf(() => client.listObjectsV2(bucket, '', true).toArray()),
      await codeOf(() => client.getBucketPolicy(bucket)),
      await codeOf(() => client.copyObject(bucket, 'copy', `/${bucket}/mine`)),
      await codeOf(() => client.getObjectTagging(bucket, 'mine')),
    ]).toEqual(Array(6).fill('NotImplemented'));
  });
});

async function send(method: string, url: string, host = new URL(url).host): Promise<number> {
  const body = method === 'PUT' ? { body: 'bytes' } : {};
  return (await sendRaw(server, url, { method, headers: { host }, ...body })).status;
}
