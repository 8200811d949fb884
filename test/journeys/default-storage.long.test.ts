/**
 * An installation that moves from the embedded store to S3, to Azure, and back, without losing
 * anything.
 */

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Dispatcher, fetch } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Analysis, StorageUrls } from '../../src/contract/analysis.ts';
import { sceneJpeg } from '../fixtures/pictures.ts';
import { type Azurite, startAzurite } from '../unit/ports/storage/azurite.ts';
import { type Forwarder, startForwarder } from '../unit/ports/storage/forwarder.ts';
import { bucket, type S3Server, startS3Server } from '../fixtures/s3-server.ts';
import { clientOf, newDataDir, type Serving, startServing } from './serving.ts';

const size = { width: 160, height: 120 };
/**
 * Starts four servers in turn, each of which examines pictures: half a minute on a busy machine.
 */
const fourServersMs = 90_000;
const picture = await sceneJpeg({ ...size, seed: 1 });
const dataDir = newDataDir();
let buckets: S3Server;
let outside: Forwarder;
let azurite: Azurite;

beforeAll(async () => {
  [buckets, azurite] = await Promise.all([startS3Server(), startAzurite()]);
  outside = await startForwarder(buckets);
  writeFileSync(join(dataDir, 'azurite-ca.pem'), azurite.ca);
});
afterAll(async () => {
  await Promise.all([azurite.close(), outside.close()]);
  await buckets.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Settings of a service with this default store. */
function settingsFor(config: object): Record<string, string> {
  const file = join(dataDir, 'default-storage.json');
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  const ca = join(dataDir, 'azurite-ca.pem');
  return { FORENSICS_DEFAULT_STORAGE: file, NODE_EXTRA_CA_CERTS: ca };
}

/** A bucket whose public port differs from the one that the service uses. */
function inS3() {
  const s3 = buckets.s3Config(bucket, { port: outside.port });
  return { s3: { ...s3, internalPort: buckets.port } };
}

function inAzure() {
  const { connectionString } = azurite;
  return { azure: { containerName: 'evidence', connectionString } };
}

/** Serves while `act` runs. */
async function during<T>(
  environment: Record<string, string>,
  act: (client: ReturnType<typeof clientOf>, serving: Serving) => Promise<T>,
): Promise<T> {
  const serving = await startServing(dataDir, environment);
  apiKey ??= serving.ready.apiKey;
  try {
    return await act(clientOf(serving, 'default', apiKey ?? ''), serving);
  } finally {
    await serving.end('SIGTERM');
  }
}
let apiKey: string | null = null;

test(
  'pictures from each store stay readable after moving to another',
  async () => {
    const declared = { format: 'jpg', ...size };

    const first = await during({}, async (client) => {
      const made = await client.create(declared);
      await client.upload(made, picture);
      return run(client, made);
    });
    const [second, waiting] = await during(settingsFor(inS3()), async (client, serving) => {
      const made = await client.create(declared);
      const seen = outside.connections();
      await put(made.input.storageUrls);
      const done = await run(client, made);
      const through = outside.connections() - seen;
      const left = await client.create(declared);
      await put(left.input.storageUrls);

      expect([seen, through]).toEqual([0, 1]);
      expect(await tenantOf(serving)).toMatchObject({ storageType: 's3' });
      expect((await serving.ask({ method: 'GET', path: '/v1/health' })).status).toBe(200);
      const { id } = await tenantOf(serving);
      expect(made.input.storageUrls.objectKey.startsWith(`${id}/`)).toBe(true);
      expect(await get((await read(client, first)).input.storageUrls, serving)).toEqual(picture);
      return [done, left];
    });
    const third = await during(settingsFor(inAzure()), async (client, serving) => {
      const made = await client.create(declared);
      await put(made.input.storageUrls, azurite.dispatcher);
      await run(client, made);

      const { storageConfig, storageType, id } = await tenantOf(serving);
      expect([storageConfig, storageType]).toEqual([undefined, 'azure']);
      expect(made.input.storageUrls).toMatchObject({ type: 'azure' });
      expect(made.input.storageUrls.objectKey.startsWith(`${id}/`)).toBe(true);
      expect(await get((await read(client, second)).input.storageUrls, serving)).toEqual(picture);
      return made;
    });
    await during(
      { NODE_EXTRA_CA_CERTS: join(dataDir, 'azurite-ca.pem') },
      async (client, serving) => {
        const late = await run(client, waiting);

        expect(late.inferenceStatus.status).toBe('completed');
        for (const made of [first, second, waiting, third]) {
          const { input } = await read(client, made);
          expect(await get(input.storageUrls, serving)).toEqual(picture);
        }
      },
    );
  },
  fourServersMs,
);

type Client = ReturnType<typeof clientOf>;

async function run(client: Client, { id }: Analysis): Promise<Analysis> {
  expect((await client.send('POST', '/start', { id })).json()).toEqual({ success: true });
  return client.until(id, ['completed', 'failed']);
}

async function read(client: Client, { id }: Analysis): Promise<Analysis> {
  return client.until(id, ['completed']);
}

async function tenantOf({ ask }: Serving) {
  const headers = { authorization: `ApiKey ${apiKey ?? ''}` };
  const answer = await ask({ method: 'GET', path: '/v1/tenant?tenantName=default', headers });
  return answer.json<{ data: { id: string; storageType: string; storageConfig?: object } }>().data;
}

async function put({ type, putUrl }: StorageUrls, dispatcher?: Dispatcher): Promise<void> {
  const headers = type === 'azure' ? { 'x-ms-blob-type': 'BlockBlob' } : {};
  const answer = await fetch(putUrl, {
    method: 'PUT',
    body: new Uint8Array(picture),
    headers,
    ...(dispatcher === undefined ? {} : { dispatcher }),
  });
  expect(answer.ok).toBe(true);
}

/** Downloads from the server or the store, wherever the URL points. */
async function get({ type, getUrl }: StorageUrls, serving: Serving): Promise<Buffer> {
  const { origin, pathname, search } = new URL(getUrl);
  if (origin === new URL(serving.ready.url).origin) {
    return (await serving.ask({ method: 'GET', path: pathname + search })).body;
  }
  const answer = await fetch(getUrl, type === 'azure' ? { dispatcher: azurite.dispatcher } : {});
  return Buffer.from(await answer.arrayBuffer());
}
