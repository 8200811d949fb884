import { createHash } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import type { S3StorageConfig } from '../../../../src/contract/tenant.ts';
import { ForensicsError } from '../../../../src/contract/errors.ts';
import { probeStore } from '../../../../src/ports/storage/remote/http.ts';
import { createS3Store } from '../../../../src/ports/storage/s3/s3.ts';
import { bucket, otherBucket, startS3Server } from '../../../fixtures/s3-server.ts';
import { s3ConfigAt } from './s3-config.ts';
import { endlessError, says, startScripted } from './scripted-store.ts';
import { refusal } from '../../../fixtures/refusal.ts';

const server = await startS3Server({ useSSL: true });
afterAll(() => server.close());

const storeWith = (changes: Partial<S3StorageConfig> = {}) =>
  createS3Store(server.s3Config(bucket, changes), { ca: server.ca });

const rulesOf = (...rules: string[]) => `<CORSConfiguration>${rules.join('')}</CORSConfiguration>`;
const xmlError = (code: string) => `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`;

describe('the probe of an S3 store', () => {
  test.each<[what: string, changes: Partial<S3StorageConfig>, says: RegExp]>([
    ['the secret is wrong', { secretAccessKey: 'wrong' }, /secret access key/],
    ['the access key is unknown', { accessKeyId: 'AKIAUNKNOWN' }, /access key/],
    ['the region is wrong', { region: 'eu-west-9' }, /region/],
    ['the bucket looks like an address', { bucketName: 'a.10.0.0.7' }, /bucket name/],
    ['the bucket belongs to someone else', { bucketName: otherBucket }, /denied access/],
  ])('says what to check when %s', async (_what, changes, sentence) => {
    await expect(storeWith(changes).probe()).rejects.toEqual(refusal('store_refused', sentence));
  });

  test('fails if missing objects look forbidden, as they do without permission to list', async () => {
    const store = storeWith();
    const denied = new ForensicsError('store_refused', 'The store denied access.');
    const head = async (key: string) => {
      const info = await store.head(key);
      if (info === null) throw denied;
      return info;
    };

    await expect(probeStore({ ...store, head })).rejects.toBe(denied);
  });

  test('says that the clocks differ if the server’s is an hour off', async () => {
    const late = await startS3Server({ now: () => new Date(Date.now() + 3_600_000) });

    await expect(late.storeIn().probe()).rejects.toEqual(refusal('store_refused', 'clock'));
    await late.close();
  });
});

test('URLs are signed for the clients’ address, even if the server is reached at another', async () => {
  const outside = server.s3Config(bucket, { endpoint: 'blobs.example', port: 9443 });
  const { endpoint, port, useSSL } = server.s3Config();
  const store = createS3Store(outside, { ca: server.ca, internal: { endpoint, port, useSSL } });

  await store.put('key', Buffer.from('picture'));

  expect(Buffer.from(await store.read('key', 10)).toString()).toBe('picture');
  expect(new URL(store.presign('key', new Date()).getUrl).origin).toBe(
    'https://blobs.example:9443',
  );
  await store.delete('key');
});

describe('error codes of S3 servers', () => {
  test.each([
    [404, 'NoSuchBucket', 'store_refused', 'bucket does not exist'],
    [301, 'PermanentRedirect', 'store_refused', 'region'],
    [507, 'XMinioStorageFull', 'no_space_left', 'full'],
    [413, 'EntityTooLarge', 'blob_too_large', 'larger'],
    [400, 'SomethingNew', 'store_refused', 'SomethingNew, HTTP 400'],
  ])('%d %s is %s', async (status, word, code, sentence) => {
    const scripted = await startScripted(says(status, xmlError(word)));
    const store = createS3Store(s3ConfigAt(scripted.origin));

    await expect(store.put('key', Buffer.from('x'))).rejects.toEqual(refusal(code, sentence));
  });

  test('a non-S3 page is interpreted by its status alone', async () => {
    const scripted = await startScripted(says(405, `<html>${'secret '.repeat(100_000)}</html>`));
    const store = createS3Store(s3ConfigAt(scripted.origin));

    const message = 'The store refused the request (HTTP 405). Check its configuration.';
    await expect(store.delete('key')).rejects.toMatchObject({ code: 'store_refused', message });
  });

  test('an unknown HTTP status is a failure, and only the start of its body is read', async () => {
    const scripted = await startScripted(endlessError(700));
    const store = createS3Store(s3ConfigAt(scripted.origin), { timeouts: { retryDelayMs: 1 } });

    const failed = refusal('store_unavailable', /^The store failed \(HTTP 700\)\.$/);
    await expect(store.read('key', 10)).rejects.toEqual(failed);
  });
});

const ruleOf = (id: string, origin: string) =>
  `<CORSRule><ID>${id}</ID><AllowedOrigin>${origin}</AllowedOrigin></CORSRule>`;

describe('the CORS rules of an S3 bucket', () => {
  const theirs = ruleOf('site', 'https://a.example');
  const stale = ruleOf('forensics', 'https://old.example');

  test('gain ours and keep existing ones', async () => {
    const scripted = await startScripted(says(200, rulesOf(theirs, stale)), says(200));
    const store = createS3Store(s3ConfigAt(scripted.origin));

    const outcome = await store.applyCors(['https://app.example', 'https://*.x.example']);

    const [read, write] = scripted.requests;
    expect(outcome).toEqual({ applied: true });
    expect([read?.method, read?.url]).toEqual(['GET', `/${bucket}?cors`]);
    expect([write?.method, write?.url]).toEqual(['PUT', `/${bucket}?cors`]);
    const body = write?.body ?? '';
    expect(body).toContain(theirs);
    expect(body).not.toContain('https://old.example');
    expect(body.match(/<ID>forensics<\/ID>/g)?.length).toBe(1);
    expect(body).toContain('<AllowedOrigin>https://*.x.example</AllowedOrigin>');
    expect(body).toContain('<AllowedMethod>PUT</AllowedMethod>');
    // Servers refuse the rules without it.
    expect(write?.headers['content-md5']).toBe(createHash('md5').update(body).digest('base64'));
  });

  test('are found among broken ones, which are dropped', async () => {
    const broken = '<CORSRule>'.repeat(3000);
    const scripted = await startScripted(
      says(200, rulesOf(theirs, '</CORSRule>', stale, broken)),
      says(200),
    );

    await createS3Store(s3ConfigAt(scripted.origin)).applyCors(['*']);

    const body = scripted.requests[1]?.body ?? '';
    expect(body.match(/<CORSRule>/g)?.length).toBe(2);
    expect(body).toContain(theirs);
  });

  test('are created if there are none', async () => {
    const none = says(404, xmlError('NoSuchCORSConfiguration'));
    const scripted = await startScripted(none, says(200));

    const outcome = await createS3Store(s3ConfigAt(scripted.origin)).applyCors(['*']);

    expect(outcome).toEqual({ applied: true });
    expect(scripted.requests[1]?.body).toContain('<AllowedOrigin>*</AllowedOrigin>');
  });

  test('are deleted when ours was the only one and no origin is left', async () => {
    const scripted = await startScripted(says(200, rulesOf(stale)), says(204));

    const outcome = await createS3Store(s3ConfigAt(scripted.origin)).applyCors([]);

    expect(outcome).toEqual({ applied: true });
    expect(scripted.requests.map(({ method }) => method)).toEqual(['GET', 'DELETE']);
  });

  test('are not applied if the server does not support them', async () => {
    const scripted = await startScripted(says(501, xmlError('NotImplemented')));

    const outcome = await createS3Store(s3ConfigAt(scripted.origin)).applyCors(['*']);

    expect(outcome).toEqual({ applied: false, reason: 'The store does not support this.' });
  });
});
