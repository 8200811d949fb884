/**
 * (f): 100 analyses of the forensic tier listed, with 21 freshly signed URLs each, on every kind of
 * store, compared with only the hashing that 2,100 signatures take, in CPU time. Writing the answer
 * as JSON is included. No store is running: signing needs none.
 */

import { createHmac, createSecretKey, hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listAnalyses } from '../../src/service/analyses/view.ts';
import { newId } from '../../src/ports/db/database.ts';
import { openDatabase } from '../../src/ports/db/sqlite.ts';
import { createAzureStore } from '../../src/ports/storage/azure/azure.ts';
import { createSealedConfigs, type StorageConfig } from '../../src/ports/storage/configs.ts';
import {
  bucketName,
  createBuckets,
  createEmbeddedStore,
  createObjectUrls,
} from '../../src/ports/storage/embedded/embedded.ts';
import { createS3Store } from '../../src/ports/storage/s3/s3.ts';
import { createStores } from '../../src/ports/storage/stores.ts';
import { interleaved, processorMs, type Row } from './figures.ts';
import { addForensicTenant } from './forensic-tenant.ts';

const listed = 100;
const urls = 21 * listed;
const goalMs = 25;
const expirySeconds = 604_800;
const place = {
  accessKeyId: 'bench',
  secretAccessKey: 'no secret at all',
  region: 'us-east-1',
} as const;

const kinds: readonly { readonly name: string; readonly config: StorageConfig | null }[] = [
  { name: 'embedded', config: null },
  {
    name: 'S3',
    config: {
      type: 's3',
      s3: {
        ...place,
        endpoint: 's3.example',
        port: 443,
        useSSL: true,
        bucketName: 'bench',
        presignedUrlExpirySeconds: expirySeconds,
        corsAllowedOrigins: null,
      },
    },
  },
  {
    name: 'Azure',
    config: {
      type: 'azure',
      azure: {
        containerName: 'bench',
        connectionString: 'AccountName=bench;AccountKey=AAAA;BlobEndpoint=https://bench.example',
      },
    },
  },
];

const now = () => new Date();

export async function benchListing(rounds: number): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'forensics-bench-'));
  const database = openDatabase({ path: join(folder, 'bench.db') });
  const { db } = database;
  const configs = createSealedConfigs({ key: new Uint8Array(32), now });
  const stores = createStores({
    db,
    configs,
    cors: { ensure: async () => undefined },
    embeddedFor: once(() =>
      createEmbeddedStore({
        buckets: createBuckets({ root: join(folder, 'blobs') }),
        bucket: bucketName(newId()),
        urls: createObjectUrls({ key: new Uint8Array(32), now }),
        endpoint: () => new URL('https://127.0.0.1:8443'),
      }),
    ),
    openRemote: (config) =>
      config.type === 's3'
        ? createS3Store(config.s3)
        : createAzureStore(config.azure, { expirySeconds }),
  });
  const tenants = await Promise.all(
    kinds.map(async ({ name, config }) =>
      addForensicTenant({ db, configs, now }, { name: name.toLowerCase(), config, listed }),
    ),
  );
  const lists = tenants.map((tenant) => async () => {
    const { analyses } = await listAnalyses({ db, stores, now }, { tenant }, {});
    const count = JSON.stringify(analyses).split('Url":"http').length - 1;
    if (count !== urls) throw new Error(`${count} URLs instead of ${urls}`);
  });
  const [hashMs = 0, ...listMs] = await interleaved(rounds, [hashOnly, ...lists], processorMs);
  await database.close();
  rmSync(folder, { recursive: true, force: true });
  return [
    { what: `the hashes of ${urls} signatures`, value: hashMs, unit: 'ms' },
    ...kinds.flatMap(({ name }, index): Row[] => [
      { what: `(f) ${listed} listed, ${name}`, value: listMs[index]!, unit: 'ms', atMost: goalMs },
      { what: `${name} / hashes`, value: listMs[index]! / hashMs, unit: 'x' },
    ]),
  ];
}

/** A version 4 signature is at least the digest of its request and the HMAC of that digest. */
async function hashOnly(): Promise<void> {
  const key = createSecretKey(Buffer.alloc(32));
  for (let n = 0; n < urls; n++) {
    const digest = hash('sha256', `${n}`.padEnd(400, '.'), 'hex');
    createHmac('sha256', key).update(digest).digest('hex');
  }
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
