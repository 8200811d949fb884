import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Analysis } from '../../../src/contract/analysis.ts';
import type { TenantResponse } from '../../../src/contract/tenant.ts';
import { scenePng } from '../../fixtures/pictures.ts';
import { bucket, type S3Server, startS3Server } from '../../fixtures/s3-server.ts';
import { type Answer, draft, type Listening, openListening } from './open-server.ts';

const path = '/v1/tenant';
let buckets: S3Server;
let open: Listening;

beforeAll(async () => {
  buckets = await startS3Server();
  open = await openListening({ flags: { storageAllow: ['127.0.0.0/8'] } });
});
afterAll(async () => {
  await open.close();
  await buckets.close();
});

const read = (tenantName = 'acme') =>
  open.askWithKey({ method: 'GET', path: `${path}?tenantName=${tenantName}` });
const change = (body: object, query = '') =>
  open.askWithKey({ method: 'PUT', path: path + query, body });
const dataOf = (answer: Answer): TenantResponse => answer.json<{ data: TenantResponse }>().data;

describe('GET and PUT /v1/tenant', () => {
  test('the answer for a tenant can be sent back unchanged', async () => {
    const answer = await read();

    expect(answer.status).toBe(200);
    expect(answer.json()).toMatchObject({
      success: true,
      data: { tenantName: 'acme', name: 'acme', storageType: 's3', isTrial: false },
    });
    const again = await change(dataOf(answer));
    expect([again.status, dataOf(again).id]).toEqual([200, dataOf(answer).id]);
  });

  test('tenantName may be in the query, but must not contradict the body', async () => {
    const [inQuery, twice, different, missing] = await Promise.all([
      change({}, '?tenantName=acme'),
      change({ tenantName: 'acme' }, '?tenantName=acme'),
      change({ tenantName: 'acme' }, '?tenantName=other'),
      change({}),
    ]);

    expect([inQuery, twice, different, missing].map(({ status }) => status)).toEqual([
      200, 200, 400, 400,
    ]);
  });

  test.each<[object, RegExp]>([
    [{ isTrial: true }, /isTrial is read-only/],
    [{ storageType: 'gcs' }, /storageType must be one of azure, s3/],
    [{ storageConfig: { s3: { port: '9000' } } }, /^storageConfig\.s3\.port must be an integer/],
    [
      { storageConfig: { s3: { usessl: true } } },
      /s3\.usessl is not known; the known members are endpoint/,
    ],
    [{ storageConfig: {} }, /either s3 or azure/],
    [{ webhookUrl: 'https://10.0.0.1/x' }, /^webhookUrl is an address .* webhookAllow setting\.$/],
    [{ name: 'No Slug' }, /A tenant name must have/],
  ])('%j is refused with a reason', async (body, message) => {
    const answer = await change({ tenantName: 'acme', ...body });

    expect([answer.status, answer.headers['x-error-code']]).toEqual([400, 'invalid_request']);
    expect(answer.json()).toEqual({ success: false, message: expect.stringMatching(message) });
  });

  test('a taken name is a conflict, and a new name replaces the old one', async () => {
    const { secret } = await open.makeTenant('before');
    const headers = { authorization: `ApiKey ${secret}` };
    const ask = (method: string, where: string, body?: object) =>
      open.ask({ method, path: where, headers, ...(body === undefined ? {} : { body }) });

    const taken = await ask('PUT', path, { tenantName: 'before', name: 'acme' });
    const renamed = await ask('PUT', path, { tenantName: 'before', name: 'after' });
    const old = await ask('GET', `${path}?tenantName=before`);
    const present = await ask('GET', `${path}?tenantName=after`);

    expect([taken, renamed, old, present].map(({ status }) => status)).toEqual([
      409, 200, 403, 200,
    ]);
  });
});

describe('a tenant’s own store', () => {
  test('receives the uploads of new analyses, and old ones stay where they are', async () => {
    const picture = await scenePng({ width: 640, height: 480, seed: 3 });
    const input = { ...draft.input, format: 'png' };
    const create = async (): Promise<Analysis> => {
      const made = await open.askWithKey({
        method: 'POST',
        path: '/v1/analysis',
        body: { ...draft, input },
      });
      return made.json<{ data: [Analysis] }>().data[0];
    };
    const own = { tenantName: 'acme', storageConfig: { s3: buckets.s3Config(bucket) } };

    const saved = await change(own);
    const inBucket = await create();
    const back = await change({ tenantName: 'acme', storageConfig: null });
    const inService = await create();
    const put = await fetch(inBucket.input.storageUrls.putUrl, {
      method: 'PUT',
      body: new Uint8Array(picture),
    });
    const start = await open.askWithKey({
      method: 'POST',
      path: '/v1/analysis/start',
      body: { tenantName: 'acme', id: inBucket.id },
    });

    expect([saved.status, back.status, put.status, start.status]).toEqual([200, 200, 200, 200]);
    expect(dataOf(saved).storageConfig).toMatchObject({ s3: { secretAccessKey: '***' } });
    expect(saved.body.toString()).not.toContain(buckets.s3Config(bucket).secretAccessKey);
    const origin = `http://127.0.0.1:${buckets.port}/${bucket}/`;
    expect(inBucket.input.storageUrls.getUrl).toContain(origin);
    expect(inService.input.storageUrls.getUrl).not.toContain(origin);
    expect(open.log.join('')).not.toContain(buckets.s3Config(bucket).secretAccessKey);
  });

  test.each(['127.0.0.1', 'localhost'])(
    'at %s must be allowed by the administrator',
    async (endpoint) => {
      const strict = await openListening();
      const s3 = { ...buckets.s3Config(bucket), endpoint };

      const answer = await strict.askWithKey({
        method: 'PUT',
        path,
        body: { tenantName: 'acme', storageConfig: { s3 } },
      });
      await strict.close();

      expect([answer.status, answer.headers['x-error-code']]).toEqual([400, 'store_refused']);
      expect(answer.json()).toMatchObject({ message: expect.stringContaining('storageAllow') });
    },
  );
});

test('no altered URL of one tenant reaches an object of another', async () => {
  const { secret } = await open.makeTenant('stranger');
  const headers = { authorization: `ApiKey ${secret}` };
  const createAs = async (tenantName: string, ask = open.askWithKey): Promise<Analysis> => {
    const made = await ask({
      method: 'POST',
      path: '/v1/analysis',
      headers: tenantName === 'acme' ? {} : headers,
      body: { ...draft, tenantName },
    });
    return made.json<{ data: [Analysis] }>().data[0];
  };
  const mine = (await createAs('acme')).input.storageUrls;
  const theirs = (await createAs('stranger')).input.storageUrls;
  const ask = (method: string, url: string, body?: string) => {
    const { pathname, search } = new URL(url);
    return open.ask({ method, path: pathname + search, ...(body === undefined ? {} : { body }) });
  };
  await ask('PUT', mine.putUrl, 'mine');
  const [myBucket, theirBucket] = [bucketOf(mine.getUrl), bucketOf(theirs.getUrl)];

  const guesses = await Promise.all([
    // Their signature over my bucket, over my key in their bucket, and over both.
    ask('GET', theirs.getUrl.replace(theirBucket, myBucket)),
    ask('GET', theirs.getUrl.replace(theirs.objectKey, mine.objectKey)),
    ask(
      'GET',
      theirs.getUrl.replace(theirBucket, myBucket).replace(theirs.objectKey, mine.objectKey),
    ),
    ask('PUT', theirs.putUrl.replace(theirBucket, myBucket), 'theirs'),
    ask(
      'DELETE',
      theirs.deleteUrl.replace(theirBucket, myBucket).replace(theirs.objectKey, mine.objectKey),
    ),
    ask('GET', mine.getUrl.replace(/signature=.*/, `signature=${'0'.repeat(43)}`)),
    ask('GET', mine.getUrl.split('?')[0]!),
  ]);
  const got = await ask('GET', mine.getUrl);

  expect(guesses.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403, 403]);
  expect(got.body.toString()).toBe('mine');
});

function bucketOf(url: string): string {
  return new URL(url).pathname.split('/')[1]!;
}
