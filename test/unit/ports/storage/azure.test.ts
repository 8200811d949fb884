import {
  BlobServiceClient,
  type StoragePipelineOptions,
  StorageSharedKeyCredential,
  BlobSASPermissions,
  generateBlobSASQueryParameters,
  SASProtocol,
} from '@azure/storage-blob';
import { fetch, type RequestInit } from 'undici';
import { afterAll, describe, expect, test } from 'vitest';
import { Client } from 'minio';
import {
  createAzureStore,
  parseConnectionString,
} from '../../../../src/ports/storage/azure/azure.ts';
import { type Azurite, startAzurite } from './azurite.ts';
import { says, startScripted } from './scripted-store.ts';
import { createObjectUrls } from '../../../../src/ports/storage/embedded/embedded.ts';
import { createS3Store } from '../../../../src/ports/storage/s3/s3.ts';
import { codeOf } from './code-of.ts';
import { s3ConfigAt } from './s3-config.ts';

const azurite = await startAzurite();
afterAll(() => azurite.close());

const send = (url: string, init: RequestInit = {}) =>
  fetch(url, { ...init, dispatcher: azurite.dispatcher });
const minutesAhead = (minutes: number) => new Date(Date.now() + minutes * 60_000);

describe('an Azure container that is missing', () => {
  test('contains nothing, and its absence is not a failure', async () => {
    const store = azurite.storeOf('missing');

    await store.delete('key');

    expect(await store.head('key')).toBeNull();
    await expect(store.read('key', 10)).rejects.toMatchObject({ code: 'blob_not_found' });
  });

  test('is created by the first object, even with many at once', async () => {
    const store = azurite.storeOf('made');

    await Promise.all(['a', 'b', 'c', 'd'].map((key) => store.put(key, Buffer.from(key))));

    expect(Buffer.from(await store.read('d', 10)).toString()).toBe('d');
  });
});

describe('an Azure store', () => {
  test('reports store_refused when the account key is wrong', async () => {
    const { connectionString, ca } = azurite;
    const wrong = connectionString.replace(/AccountKey=[^;]+/, 'AccountKey=d3Jvbmc=');
    const config = { containerName: 'pictures', connectionString: wrong };
    const store = createAzureStore(config, { expirySeconds: 60, ca });

    await expect(store.probe()).rejects.toMatchObject({ code: 'store_refused' });
  });

  // Azure returns the same error for a wrong key and a wrong clock.
  test('says to check the key and the clock when a signature is rejected', async () => {
    const refusal = says(403, '', { 'x-ms-error-code': 'AuthenticationFailed' });
    const scripted = await startScripted(refusal);
    const connectionString = `AccountName=tester;AccountKey=a2V5;BlobEndpoint=${scripted.origin}/tester`;
    const store = createAzureStore(
      { containerName: 'pictures', connectionString },
      { expirySeconds: 60 },
    );

    const message = expect.stringMatching(/AccountKey.*clock/);
    const putting = store.put('key', Buffer.from('x'));
    await expect(putting).rejects.toMatchObject({ code: 'store_refused', message });
  });

  test.each(['../other/key', 'a/./b', 'a/..', 'back\\slash'])(
    'refuses a key that a URL would change: %s',
    async (key) => {
      const store = azurite.storeOf('pictures');

      await expect(store.head(key)).rejects.toMatchObject({ code: 'invalid_request' });
      expect(() => store.presign(key, new Date())).toThrow(/backslash/);
    },
  );

  test.each(['ab', 'Upper', 'under_score', 'two--hyphens', '-x-', 'x'.repeat(64)])(
    'refuses the container name %s',
    (containerName) => {
      expect(() => azurite.storeOf(containerName)).toThrow(/container/);
    },
  );
});

describe('presigned URLs of Azure', () => {
  test('are valid from a few minutes before signing, for slow clocks', async () => {
    const store = azurite.storeOf('pictures');
    await store.put('early', Buffer.from('x'));

    const soon = await send(store.presign('early', minutesAhead(4)).getUrl);
    const far = await send(store.presign('early', minutesAhead(60)).getUrl);
    await Promise.all([soon.text(), far.text()]);

    expect([soon.status, far.status]).toEqual([200, 403]);
  });

  test('are valid only over HTTPS if the store supports it', () => {
    const { getUrl } = azurite.storeOf('pictures').presign('key', new Date());

    expect(new URL(getUrl).searchParams.get('spr')).toBe('https');
  });

  test('accept an upload only with the blob type header', async () => {
    const { putUrl } = azurite.storeOf('pictures').presign('kind', new Date());
    const headers = { 'x-ms-blob-type': 'BlockBlob' };

    const bare = await send(putUrl, { method: 'PUT', body: 'x' });
    const typed = await send(putUrl, { method: 'PUT', body: 'x', headers });
    const again = await send(putUrl, { method: 'PUT', body: 'y', headers });
    await Promise.all([bare.text(), typed.text(), again.text()]);

    expect([bare.status, typed.status, again.status]).toEqual([400, 201, 201]);
  });
});

describe('the CORS rules of an Azure account', () => {
  const rule = {
    allowedMethods: 'GET',
    allowedHeaders: '',
    exposedHeaders: '',
    maxAgeInSeconds: 5,
  };

  test('gain our origins, keep existing rules, and allow our pages', async () => {
    const account = openAccount(azurite);
    await account.setProperties({ cors: [{ ...rule, allowedOrigins: 'https://site.example' }] });
    const store = azurite.storeOf('pictures');

    const first = await store.applyCors(['https://app.example']);
    await azurite.storeOf('other-pictures').applyCors(['https://lab.example']);
    await store.applyCors(['https://app.example']);

    const { cors = [] } = await account.getProperties();
    expect(first).toEqual({ applied: true });
    expect(cors.map(({ allowedOrigins }) => allowedOrigins)).toEqual([
      'https://site.example',
      'https://app.example,https://lab.example',
    ]);
    expect(await preflight('https://app.example')).toEqual([200, 'https://app.example']);
    expect((await preflight('https://evil.example'))[0]).toBe(403);
  });

  test('are not applied if the account has reached Azure’s limit', async () => {
    const cors = ['a', 'b', 'c', 'd', 'e'].map((name) => ({
      ...rule,
      allowedOrigins: `https://${name}.example`,
    }));
    await openAccount(azurite).setProperties({ cors });

    expect(await azurite.storeOf('pictures').applyCors(['*'])).toMatchObject({ applied: false });
  });
});

describe('an Azure connection string', () => {
  const key = 'a2V5IG9mIHRoZSBhY2NvdW50';

  test.each([
    [
      `DefaultEndpointsProtocol=https;AccountName=acme1;AccountKey=${key}`,
      'https://acme1.blob.core.windows.net',
    ],
    [
      `AccountName=acme1;AccountKey=${key};EndpointSuffix=core.usgovcloudapi.net;`,
      'https://acme1.blob.core.usgovcloudapi.net',
    ],
    [
      `BlobEndpoint=https://cdn.acme.example/;accountname=acme1;accountkey=${key}`,
      'https://cdn.acme.example',
    ],
    [
      `AccountName=acme1;AccountKey=${key};BlobEndpoint=http://127.0.0.1:10000/acme1`,
      'http://127.0.0.1:10000/acme1',
    ],
  ])('%s has the endpoint %s', (text, blobEndpoint) => {
    expect(parseConnectionString(text)).toEqual({
      accountName: 'acme1',
      accountKey: key,
      blobEndpoint,
    });
  });

  test.each([
    ['', /AccountName/],
    ['nonsense', /AccountName/],
    ['AccountName=acme1', /AccountKey/],
    ['AccountName=acme1;AccountKey=not base64!', /AccountKey/],
    ['BlobEndpoint=https://a.example;SharedAccessSignature=sv=1&sig=abc', /SharedAccessSignature/],
    [`AccountName=acme1;AccountKey=${key};BlobEndpoint=ftp://a.example`, /BlobEndpoint/],
    [`AccountName=acme1;AccountKey=${key};BlobEndpoint=https://a.example/?sig=1`, /BlobEndpoint/],
  ])('%j is rejected without being quoted', (text, sentence) => {
    expect(() => parseConnectionString(text)).toThrow(sentence);
    expect(() => parseConnectionString(text)).not.toThrow(/abc|not base64|a2V5/);
  });
});

async function preflight(origin: string): Promise<[status: number, allowed: string | null]> {
  const { putUrl } = azurite.storeOf('pictures').presign('page', new Date());
  const headers = {
    origin,
    'access-control-request-method': 'PUT',
    'access-control-request-headers': 'content-type,x-ms-blob-type',
  };
  const answer = await send(putUrl, { method: 'OPTIONS', headers });
  await answer.text();
  return [answer.status, answer.headers.get('access-control-allow-origin')];
}

function openAccount({ connectionString, ca }: Azurite): BlobServiceClient {
  const { accountName, accountKey, blobEndpoint } = parseConnectionString(connectionString);
  const credential = new StorageSharedKeyCredential(accountName, accountKey);
  const trust: StoragePipelineOptions & { readonly tlsOptions: { readonly ca: string } } = {
    tlsOptions: { ca },
  };
  return new BlobServiceClient(blobEndpoint, credential, trust);
}

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
