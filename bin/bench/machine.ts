/**
 * One machine of the `machines` benchmark: a whole worker except for the networks. An analysis is a pause
 * of 50 ms, so that only the coordination is measured. Prints a line when it is ready, and another
 * when nothing is left to do or, if it stays, when its input ends.
 */

import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createTenants } from '../../src/service/tenants/tenants.ts';
import { type Analyses, createAnalyses } from '../../src/service/analyses/analyses.ts';
import { runJob } from '../../src/service/analyses/lifecycle/client.ts';
import type { OpenDatabase } from '../../src/ports/db/database.ts';
import { openPostgres } from '../../src/ports/db/postgres.ts';
import { defaultLimits } from '../../src/image/picture.ts';
import { createQueue } from '../../src/service/jobs/queue.ts';
import { createWorker } from '../../src/service/jobs/worker.ts';
import { createSealedConfigs } from '../../src/ports/storage/configs.ts';
import {
  bucketName,
  createBuckets,
  createEmbeddedStore,
  createObjectUrls,
} from '../../src/ports/storage/embedded/embedded.ts';
import type { BlobStore } from '../../src/ports/storage/store.ts';
import { createStores } from '../../src/ports/storage/stores.ts';
import { createOutbox } from '../../src/service/webhooks/outbox.ts';
import { examinationOf } from '../../test/unit/service/analyses/scripted-sandbox.ts';

export const taskMs = 50;
const now = () => new Date();
const raise = (error: unknown) => {
  throw error;
};

export interface Machine {
  readonly database: OpenDatabase;
  readonly tenants: ReturnType<typeof createTenants>;
  readonly analyses: Analyses;
  readonly queue: ReturnType<typeof createQueue>;
  storeOf(tenantId: string): BlobStore;
}

/** @param folder - of the objects; the machines of the benchmark share a disk. */
export async function openMachine(url: string, folder: string): Promise<Machine> {
  const database = await openPostgres({ url, passwordFile: null });
  const { db } = database;
  const queue = createQueue({ db, now });
  const urls = createObjectUrls({ key: new Uint8Array(32).fill(9), now });
  const buckets = createBuckets({ root: join(folder, 'blobs'), now });
  const storeOf = (tenantId: string) =>
    createEmbeddedStore({
      buckets,
      bucket: bucketName(tenantId),
      urls,
      endpoint: () => new URL('https://forensics.test:8443'),
    });
  const analyses = createAnalyses({
    db,
    queue,
    outbox: createOutbox({ db, now }),
    stores: createStores({
      db,
      configs: createSealedConfigs({ key: new Uint8Array(32).fill(9), now }),
      cors: { ensure: async () => undefined },
      embeddedFor: storeOf,
      openRemote: () => raise(new TypeError('no tenant has a store of its own')),
    }),
    sandbox: {
      examine: (request) => setTimeout(taskMs, examinationOf(request)),
      render: () => raise(new TypeError('nothing is drawn')),
      layBeside: () => raise(new TypeError('nothing is drawn')),
    },
    models: [{ id: 'trace-3', version: '2.0.0' }],
    trialMd5s: [],
    limits: defaultLimits,
    retention: { retentionDays: 0, deletedRetentionDays: 30 },
    now,
    storeWaitMs: 60_000,
    onError: raise,
    onNotice: () => undefined,
  });
  return { database, tenants: createTenants({ db, now }), analyses, queue, storeOf };
}

if (process.argv[1] === import.meta.filename) {
  const [, , url, folder, stays] = process.argv;
  const { database, queue, analyses } = await openMachine(url!, folder!);
  const worker = createWorker({
    db: database.db,
    queue,
    handlers: { [runJob]: analyses.run },
    workerId: `bench:${process.pid}`,
    concurrency: 1,
    now,
    onError: raise,
  });
  process.stdout.write('ready\n');
  process.stdin.once('data', () => {
    void (async () => {
      const began = performance.now();
      if (stays === undefined) await worker.drain();
      else {
        worker.start();
        await once(process.stdin, 'end');
      }
      process.stdout.write(`${performance.now() - began}\n`);
      await worker.stop();
      await database.close();
      process.stdin.destroy();
    })();
  });
}
