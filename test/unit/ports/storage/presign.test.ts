import {
  BlobSASPermissions,
  generateBlobSASQueryParameters,
  SASProtocol,
  StorageSharedKeyCredential,
} from '@azure/storage-blob';
import { Client } from 'minio';
import { describe, expect, test } from 'vitest';
import { createAzureStore } from '../../../../src/ports/storage/azure/azure.ts';
import { createObjectUrls } from '../../../../src/ports/storage/embedded/embedded.ts';
import { createS3Store } from '../../../../src/ports/storage/s3/s3.ts';
import { codeOf } from './code-of.ts';
import { s3ConfigAt } from './s3-config.ts';

const now = new Date('2013-05-24T00:00:00Z');

test('a URL of the embedded store is valid until the end of the second in which it expires', async () => {
  const object = { bucket: 'b-0123456789abcdef01234567', key: 'analyses/1/input.jpg' };
  const key = Buffer.alloc(32, 7);
  const expires = Date.parse('2026-01-02T03:04:05Z') / 1000;
  const { GET } = createObjectUrls({ key }).sign(object, expires);
  const claimed = Object.fromEntries(new URL(GET, 'https://a').searchParams);
  const verify = (at: string) =>
    codeOf(() => createObjectUrls({ key, now: () => new Date(at) }).verify('GET', object, claimed));

  expect(await verify('2026-01-02T03:04:05.000Z')).toBe('admitted');
  expect(await verify('2026-01-02T03:04:05.001Z')).toBe('url_expired');
});

describe('a URL of an S3 bucket', () => {
  test.each([
    'plain.jpg',
    'a b',
    'a+b',
    'a%20b',
    'a#b?c&d',
    "marks!*'()~$@:",
    'ä ö/ü',
    '日本/🦊',
    '\u0000',
  ])('matches that of the client library: %j', async (key) => {
    const config = { ...s3ConfigAt('http://127.0.0.1:9000'), accessKeyId: 'test:tester+1' };
    const client = new Client({
      endPoint: '127.0.0.1',
      port: 9000,
      useSSL: false,
      region: config.region,
      accessKey: config.accessKeyId,
      secretKey: config.secretAccessKey,
    });
    const presignedBy = (method: string) =>
      client.presignedUrl(method, config.bucketName, key, 604_800, {}, now);

    const urls = createS3Store(config).presign(key, now);

    expect([urls.putUrl, urls.getUrl, urls.deleteUrl]).toEqual(
      await Promise.all(['PUT', 'GET', 'DELETE'].map(presignedBy)),
    );
  });
});

test('a URL of an Azure blob has the same signature as the client library’s', () => {
  const accountKey = Buffer.from('the account key').toString('base64');
  const [containerName, key] = ['pictures', "ä/b c+d'(1).jpg"];
  const connectionString = `AccountName=tester;AccountKey=${accountKey}`;
  const store = createAzureStore({ connectionString, containerName }, { expirySeconds: 3600 });

  const { getUrl, putUrl } = store.presign(key, now);

  for (const [signed, permissions] of [
    [getUrl, 'r'],
    [putUrl, 'cw'],
  ] as const) {
    const expected = generateBlobSASQueryParameters(
      {
        containerName,
        blobName: key,
        permissions: BlobSASPermissions.parse(permissions),
        startsOn: new Date(now.getTime() - 300_000),
        expiresOn: new Date(now.getTime() + 3_600_000),
        protocol: SASProtocol.Https,
        version: '2021-12-02',
      },
      new StorageSharedKeyCredential('tester', accountKey),
    );
    expect(new URL(signed).search).toBe(`?${expected.toString()}`);
  }
});
