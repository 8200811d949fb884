import type { lookup } from 'node:dns';
import { createServer as createSilentServer } from 'node:net';
import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  createAddressGuard,
  createConnectionGuard,
} from '../../../../src/ports/network/address-guard.ts';
import { createAzureStore } from '../../../../src/ports/storage/azure/azure.ts';
import type { RemoteSettings } from '../../../../src/ports/storage/remote/http.ts';
import { createS3Store } from '../../../../src/ports/storage/s3/s3.ts';
import type { RemoteStore } from '../../../../src/ports/storage/store.ts';
import { listen } from '../../../fixtures/listen.ts';
import { startS3Server } from '../../../fixtures/s3-server.ts';
import { s3ConfigAt } from './s3-config.ts';
import {
  type Answer,
  endlessError,
  announcesGigabyte,
  cuts,
  cutsError,
  drips,
  hangs,
  says,
  says200After,
  startScripted,
} from './scripted-store.ts';
import { refusal } from '../../../fixtures/refusal.ts';

// Both adapters react alike, however a remote store misbehaves.
const secret = Buffer.from('the account key, which nobody must see').toString('base64');
const impatient: RemoteSettings = {
  timeouts: { connectMs: 2000, idleMs: 200, totalMs: 500, retryDelayMs: 1 },
};

const adapters: readonly (readonly [
  name: string,
  open: (origin: string, settings?: RemoteSettings) => RemoteStore,
])[] = [
  [
    'S3',
    (origin, settings = impatient) =>
      createS3Store({ ...s3ConfigAt(origin), secretAccessKey: secret }, settings),
  ],
  [
    'Azure',
    (origin, settings = impatient) =>
      createAzureStore(
        {
          containerName: 'pictures',
          connectionString: `AccountName=tester;AccountKey=${secret};BlobEndpoint=${origin}/tester`,
        },
        { expirySeconds: 60, ...settings },
      ),
  ],
];

const hangsUp: Answer = (response) => response.socket?.destroy();
const whole = Buffer.alloc(100_000);

type LookupCallback = (...found: readonly unknown[]) => void;

function resolver(answer: (callback: LookupCallback) => void): typeof lookup {
  const resolve = (_name: string, _options: object, callback: LookupCallback) => answer(callback);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only overload that the guard calls
  return resolve as unknown as typeof lookup;
}

const inside = resolver((callback) => callback(null, [{ address: '10.0.0.1', family: 4 }]));
const unknown = resolver((callback) =>
  callback(Object.assign(new Error('no'), { code: 'ENOTFOUND' })),
);

describe.each(adapters)('the %s store', (_name, open) => {
  test('is unavailable when nothing listens at its address', async () => {
    const server = await startScripted();
    await server.close();

    await expect(open(server.origin).read('key', 10)).rejects.toEqual(
      refusal('store_unavailable', 'Check the endpoint and the port'),
    );
  });

  test.each([
    ['never answers', hangs, { idleMs: 100 }],
    ['sends a byte now and then', drips, { totalMs: 300 }],
  ])('that %s is unavailable, and is not retried', async (_what, answer, timeouts) => {
    const server = await startScripted(answer);

    await expect(open(server.origin, { timeouts }).read('key', 2_000_000)).rejects.toEqual(
      refusal('store_unavailable', 'in time'),
    );
    expect(server.requests.length).toBe(1);
  });

  test('that is slow on a reused connection is waited for', async () => {
    const server = await startScripted(says(200, 'first'), says200After(1300, 'second'));
    const store = open(server.origin, { timeouts: { idleMs: 5000, retryDelayMs: 1 } });
    await store.read('key', 10);

    const second = await store.read('key', 10);

    expect(Buffer.from(second).toString()).toBe('second');
    expect(server.requests.length).toBe(2);
  });

  test('is sent no object above its limit', async () => {
    const server = await startScripted(says(200));
    const store = open(server.origin, { maxObjectBytes: 10 });

    await expect(store.put('key', Buffer.alloc(11))).rejects.toEqual(refusal('blob_too_large'));
    expect(server.requests).toEqual([]);
  });

  test.each<
    [what: string, answer: Answer, act: (store: RemoteStore) => Promise<unknown>, methods: string]
  >([
    ['breaks mid-object', cuts, (store) => store.read('key', 1000), 'GET GET GET'],
    ['breaks mid-upload', hangsUp, (store) => store.put('key', whole), 'PUT PUT PUT'],
    ['stays busy', says(503, 'busy'), (store) => store.delete('key'), 'DELETE DELETE DELETE'],
  ])(
    'whose connection %s is unavailable after three tries',
    async (_what, answer, act, methods) => {
      const server = await startScripted(answer);

      await expect(act(open(server.origin))).rejects.toMatchObject({ code: 'store_unavailable' });
      expect(server.requests.map(({ method }) => method).join(' ')).toBe(methods);
    },
  );

  test('whose confirmation is cut off has not accepted the object', async () => {
    const server = await startScripted(cuts);

    await expect(open(server.origin).put('key', Buffer.from('x'))).rejects.toEqual(
      refusal('store_unavailable'),
    );
  });

  test.each<[what: string, answer: Answer]>([
    ['breaks mid-object', cuts],
    ['cuts off an error', cutsError],
    ['answers 500', says(500, 'busy')],
    ['answers 503', says(503, 'busy')],
  ])('that %s once returns the whole object on the second try', async (_what, answer) => {
    const server = await startScripted(answer, says(200, 'bytes'));

    const read = await open(server.origin).read('key', 1000);

    expect(Buffer.from(read).toString()).toBe('bytes');
    expect(server.requests.length).toBe(2);
  });

  test('that denies access is not retried, and reveals no secret or signature', async () => {
    const server = await startScripted(says(403));

    const error: unknown = await open(server.origin)
      .put('key', Buffer.from('x'))
      .catch((cause: unknown) => cause);

    expect(error).toMatchObject({ code: 'store_refused' });
    expect(server.requests.length).toBe(1);
    const printed = inspect(error, { depth: 12, showHidden: true });
    const { authorization = 'none' } = server.requests[0]?.headers ?? {};
    expect(printed).not.toContain(secret);
    expect(printed).not.toContain(authorization.slice(-20));
  });

  test('that announces more than requested is abandoned', async () => {
    const server = await startScripted(announcesGigabyte);

    await expect(open(server.origin).read('key', 10)).rejects.toEqual(refusal('blob_too_large'));
  });

  test('with an endless error message is refused after its start', async () => {
    const server = await startScripted(endlessError(403));
    const store = open(server.origin, { timeouts: { idleMs: 5000 } });

    await expect(store.read('key', 10)).rejects.toMatchObject({ code: 'store_refused' });
    await expect(store.put('key', Buffer.from('x'))).rejects.toEqual(refusal('store_refused'));
  });

  test('with overlong CORS rules keeps them', async () => {
    const rules = `<StorageServiceProperties>${'<Cors></Cors>'.repeat(10_000)}</StorageServiceProperties>`;
    const server = await startScripted(says(200, rules, { 'content-type': 'application/xml' }));

    expect(await open(server.origin).applyCors(['*'])).toMatchObject({ applied: false });
    expect(server.requests.map(({ method }) => method)).toEqual(['GET']);
  });

  test('that returns different bytes fails the probe', async () => {
    const server = await startScripted((response, request) => {
      // Each service's status for success, and an empty object.
      const isAzure = 'x-ms-version' in request.headers;
      const statuses = isAzure ? { PUT: 201, DELETE: 202 } : { PUT: 200, DELETE: 204 };
      const status = new Map(Object.entries(statuses)).get(request.method ?? '');
      says(status ?? 200)(response, request);
    });

    await expect(open(server.origin).probe()).rejects.toEqual(
      refusal('store_refused', 'bytes that differ'),
    );
  });

  test.each([
    ['with an untrusted certificate', { useSSL: true }, 'does not trust'],
    ['contacted over TLS at a port without it', {}, 'useSSL'],
  ])('%s is rejected', async (_what, settings, sentence) => {
    const server = await startS3Server(settings);
    onTestFinished(() => server.close());

    const reading = open(server.origin.replace('http:', 'https:')).read('key', 10);

    await expect(reading).rejects.toEqual(refusal('store_refused', sentence));
  });

  test.each(['127.0.0.1', 'localhost'])(
    'at the forbidden address %s is not contacted',
    async (host) => {
      const server = await startScripted(says(200, 'bytes'));
      const guard = createConnectionGuard(createAddressGuard(['external', 'private']));
      const store = open(server.origin.replace('127.0.0.1', host), { ...impatient, guard });

      await expect(store.read('key', 10)).rejects.toEqual(refusal('store_refused', 'storageAllow'));
      expect(server.requests).toEqual([]);
    },
  );

  test('with a forbidden name is indistinguishable from one with an unknown name', async () => {
    const outcomes = await Promise.all(
      [inside, unknown].map(async (resolve) => {
        const guard = createConnectionGuard(createAddressGuard(['external']), resolve);
        const store = open('http://host.example:9', { ...impatient, guard });
        return store.read('key', 10).catch((error: unknown) => error);
      }),
    );

    expect(outcomes[0]).toEqual(refusal('store_unavailable', 'unknown, or leads to'));
    expect(outcomes[0]).toEqual(outcomes[1]);
  });

  test('that never completes its TLS handshake is abandoned', async () => {
    const port = await listen(createSilentServer((socket) => socket.resume()));
    const timeouts = { connectMs: 100, idleMs: 20_000, retryDelayMs: 1 };

    const reading = open(`https://127.0.0.1:${port}`, { timeouts }).read('key', 10);

    await expect(reading).rejects.toEqual(refusal('store_unavailable', 'in time'));
  });
});
