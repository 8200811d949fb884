import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkStore, createVisitor, type StoreToCheck } from '../../../../src/ops/doctor/store.ts';
import { createS3Store } from '../../../../src/ports/storage/s3/s3.ts';
import type { BlobStore } from '../../../../src/ports/storage/store.ts';
import { bucket, startEmbeddedServer } from '../../../fixtures/embedded-server.ts';
import { type S3Server, startS3Server } from '../../../fixtures/s3-server.ts';
import { type Azurite, startAzurite } from '../../ports/storage/azurite.ts';
import { s3ConfigAt } from '../../ports/storage/s3-config.ts';
import { type Answer, says, startScripted } from '../../ports/storage/scripted-store.ts';

const fixes = { access: 'access!', presigned: 'presigned!', cors: 'cors!' };
const now = () => new Date();

type Given = Pick<StoreToCheck, 'store' | 'visit'> & Partial<StoreToCheck>;

const examine = async (given: Given) =>
  checkStore({ tenant: 'acme', origins: [], fixes, unreached: null, now, ...given });

async function look(given: Given) {
  const found = await examine(given);
  return found.map(({ name, state, message, fix }) => [name, state, fix ?? message]);
}

const allWell = [
  ['store', 'ok', expect.any(String)],
  ['presigned URLs', 'ok', expect.any(String)],
];
const onTime = ['clock', 'ok', expect.any(String)];

describe('a bucket', () => {
  let server: S3Server;
  const storeWith = (more: object = {}): BlobStore =>
    createS3Store({ ...server.s3Config(), ...more }, { ca: server.ca });

  beforeAll(async () => {
    const corsOrigins = ['https://app.example', 'https://*.lab.example'];
    server = await startS3Server({ useSSL: true, corsOrigins });
  });
  afterAll(() => server.close());

  test('is tested as clients use it, without leaving objects behind', async () => {
    const visit = createVisitor({ ca: server.ca });
    const origins = ['https://app.example', 'https://*.lab.example'];

    const found = await look({ store: storeWith(), visit, origins });

    expect(found).toEqual([...allWell, ['CORS', 'ok', expect.any(String)], onTime]);
    expect(server.objects()).toEqual([]);
  });

  test('whose CORS rules omit an origin is reported with that origin', async () => {
    const visit = createVisitor({ ca: server.ca });
    const origins = ['https://app.example', 'https://other.example', '*'];

    const found = await examine({ store: storeWith(), visit, origins });

    expect(found.find(({ name }) => name === 'CORS')).toMatchObject({
      state: 'failed',
      message: 'Browsers will block uploads by pages from https://other.example, *.',
      fix: 'cors!',
    });
  });

  test('that rejects the key is asked only for its time', async () => {
    const visit = createVisitor({ ca: server.ca });
    const found = await look({ store: storeWith({ secretAccessKey: 'wrong' }), visit });

    expect(found).toEqual([['store', 'failed', 'access!'], onTime]);
  });

  test('whose URLs lead to a server that clients do not trust fails the check', async () => {
    const found = await look({ store: storeWith(), visit: createVisitor({}) });

    expect(found).toEqual([allWell[0], ['presigned URLs', 'failed', 'presigned!']]);
    expect(server.objects()).toEqual([]);
  });

  test('that rejects a presigned URL is reported by method and status', async () => {
    const store = storeWith();
    const presign: BlobStore['presign'] = (key, at) => {
      const urls = store.presign(key, at);
      return { ...urls, deleteUrl: urls.deleteUrl.replace('X-Amz-Signature=', '$&0') };
    };
    const visit = createVisitor({ ca: server.ca });

    const found = await examine({ store: { ...store, presign }, visit });

    expect(found[1]).toMatchObject({
      state: 'failed',
      message: 'The store responded to DELETE through a presigned URL with HTTP 403.',
    });
    expect(server.objects()).toEqual([]);
  });
});

test('requests go only where the guard permits', async () => {
  const server = await startS3Server({ useSSL: true });
  const refusal = Object.assign(new Error('not there'), { code: 'address_refused' });
  const guard = { lookup: () => undefined, refusalOf: () => refusal };
  const visit = createVisitor({ ca: server.ca, guard });

  await expect(visit({ method: 'GET', url: `${server.origin}/a` })).rejects.toMatchObject({
    code: 'store_refused',
    message: expect.stringContaining('storageAllow'),
  });
  await server.close();
});

test.each([
  [0, 'ok', 'agree'],
  [-60_000, 'ok', 'agree'],
  [61_000, 'warning', '61 s ahead of'],
  [-900_000, 'warning', '900 s behind'],
  [901_000, 'failed', '901 s ahead of'],
])('a clock %i ms ahead is %s, whatever else the store rejects', async (aheadMs, state, words) => {
  const storeAt = Date.parse('2026-03-01T12:00:00Z');
  const date = new Date(storeAt).toUTCString();
  const late: Answer = says(403, '<Error><Code>RequestTimeTooSkewed</Code></Error>', { date });
  const server = await startScripted(late);
  const visit = createVisitor({});

  const found = await examine({
    store: createS3Store(s3ConfigAt(server.origin)),
    visit: async (what) => ({ ...(await visit(what)), at: new Date(storeAt + 500 + aheadMs) }),
  });

  const message: unknown = expect.stringContaining(words);
  expect(found).toMatchObject([
    { name: 'store', state: 'failed', fix: 'access!' },
    { name: 'clock', tenant: 'acme', state, message },
  ]);
});

test('if nothing responds, only our own store may still be starting', async () => {
  const server = await startEmbeddedServer();
  const embedded = server.storeOf(bucket);
  const remote = createS3Store(s3ConfigAt(server.origin), { timeouts: { retryDelayMs: 1 } });
  const visit = createVisitor({ ca: server.ca });
  await server.close();

  const own = await look({ store: embedded, visit, unreached: { message: 'no', fix: 'start!' } });
  const foreign = await look({ store: remote, visit });

  expect(own).toEqual([allWell[0], ['presigned URLs', 'warning', 'start!']]);
  expect(foreign).toEqual([['store', 'failed', 'access!']]);
});

describe('an Azure container', () => {
  let azurite: Azurite;

  beforeAll(async () => {
    azurite = await startAzurite();
  }, 30_000);
  afterAll(() => azurite.close());

  test('is created if missing; its CORS rules belong to the account', async () => {
    const store = azurite.storeOf('made-by-the-doctor', { timeouts: { retryDelayMs: 1 } });
    const visit = createVisitor({ ca: azurite.ca });
    const origins = ['https://app.example'];

    const without = await look({ store, visit, origins });
    await store.applyCors(origins);
    const withRules = await look({ store, visit, origins });

    expect(without).toEqual([...allWell, ['CORS', 'failed', 'cors!'], onTime]);
    expect(withRules).toEqual([...allWell, ['CORS', 'ok', expect.any(String)], onTime]);
  });
});
