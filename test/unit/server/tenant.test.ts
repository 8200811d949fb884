import { afterAll, describe, expect, test } from 'vitest';
import { bucket, startS3Server } from '../../fixtures/s3-server.ts';
import { listeningForFile } from './open-server.ts';

const path = '/v1/tenant';
const buckets = await startS3Server();
afterAll(() => buckets.close());
const open = await listeningForFile({ flags: { storageAllow: ['127.0.0.0/8'] } });

const change = (body: object, query = '') =>
  open.askWithKey({ method: 'PUT', path: path + query, body });

describe('GET and PUT /v1/tenant', () => {
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
    [{ storageType: 'gcs' }, /storageType must be one of azure, s3/],
    [{ storageConfig: { s3: { port: '9000' } } }, /^storageConfig\.s3\.port must be an integer/],
    [{ name: 'No Slug' }, /A tenant name must have/],
  ])('%j is refused with a reason', async (body, message) => {
    const answer = await change({ tenantName: 'acme', ...body });

    expect([answer.status, answer.headers['x-error-code']]).toEqual([400, 'invalid_request']);
    expect(answer.json()).toEqual({ success: false, message: expect.stringMatching(message) });
  });
});

test.each([
  ['127.0.0.1', /storageAllow/],
  ['localhost', /storageAllow/],
  ['store.invalid', /./],
])(
  'a tenant’s own store at %s, not allowed or not known, is refused',
  async (endpoint, message) => {
    const strict = await listeningForFile();
    const s3 = { ...buckets.s3Config(bucket), endpoint };

    const answer = await strict.askWithKey({
      method: 'PUT',
      path,
      body: { tenantName: 'acme', storageConfig: { s3 } },
    });

    expect([answer.status, answer.headers['x-error-code']]).toEqual([400, 'store_refused']);
    expect(answer.json()).toMatchObject({ message: expect.stringMatching(message) });
  },
);
