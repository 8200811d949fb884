/** The whole module on a real database and a real store, with a scripted sandbox. */

import { join } from 'node:path';
import { createKeys } from '../../../../src/service/access/keys.ts';
import { createTenants, updateTenant } from '../../../../src/service/tenants/tenants.ts';
import { createAnalyses } from '../../../../src/service/analyses/analyses.ts';
import type { AnalysesOptions, Caller } from '../../../../src/service/analyses/context.ts';
import { runJob } from '../../../../src/service/analyses/lifecycle/client.ts';
import { operator } from '../../../../src/service/audit/entry.ts';
import type { Analysis, CreateRequest, StorageUrls } from '../../../../src/contract/analysis.ts';
import { transact } from '../../../../src/ports/db/database.ts';
import {
  analyses as analysisRows,
  deliveries,
  usageCounters,
} from '../../../../src/ports/db/schema.ts';
import { defaultLimits } from '../../../../src/image/picture.ts';
import { createQueue } from '../../../../src/service/jobs/queue.ts';
import { createWorker } from '../../../../src/service/jobs/worker.ts';
import {
  createBucketCors,
  createStores,
  type OpenRemoteStore,
} from '../../../../src/ports/storage/stores.ts';
import { createSealedConfigs, type StorageConfig } from '../../../../src/ports/storage/configs.ts';
import {
  bucketName,
  createBuckets,
  createEmbeddedStore,
  createObjectUrls,
} from '../../../../src/ports/storage/embedded/embedded.ts';
import type { BlobStore } from '../../../../src/ports/storage/store.ts';
import { createOutbox } from '../../../../src/service/webhooks/outbox.ts';
import { sceneJpeg } from '../../../fixtures/pictures.ts';
import { testDb, steppedClock, temporaryFolder } from '../../ports/db/temporary.ts';
import { createScriptedSandbox } from './scripted-sandbox.ts';

export const width = 96;
export const height = 80;
/** Generated once: no test looks at its pixels. */
export const picture = await sceneJpeg({ width, height, seed: 1 });

const masterKey = new Uint8Array(32).fill(9);
const dayMs = 24 * 60 * 60 * 1000;

export interface WorkshopOptions {
  readonly isTrial?: boolean;
  readonly trialMd5s?: readonly string[];
  readonly maxBytes?: number;
  /** For tenants with their own stores. */
  readonly openRemote?: OpenRemoteStore;
  readonly retention?: Partial<AnalysesOptions['retention']>;
  readonly storeWaitMs?: number;
}

export async function openWorkshop(options: WorkshopOptions = {}) {
  const folder = temporaryFolder();
  const clock = steppedClock();
  const { now } = clock;
  const sandbox = createScriptedSandbox();
  const urls = createObjectUrls({ key: masterKey, now });
  const errors: unknown[] = [];
  const notices: object[] = [];
  const limits = { ...defaultLimits, maxBytes: options.maxBytes ?? defaultLimits.maxBytes };

  const openStore = (tenantId: string) =>
    createEmbeddedStore({
      buckets: createBuckets({ root: join(folder, 'blobs'), now }),
      bucket: bucketName(tenantId),
      urls,
      endpoint: () => new URL('https://forensics.test:8443'),
    });

  /** The parts of one process. Processes share the files and nothing else. */
  async function openProcess(workerId: string) {
    const db = await testDb(join(folder, 'test.db'));
    const queue = createQueue({ db, now });
    const outbox = createOutbox({ db, now });
    const tenants = createTenants({ db, now });
    const configs = createSealedConfigs({ key: masterKey, now });
    const embedded = new Map<string, BlobStore>();
    const stores = createStores({
      db,
      configs,
      cors: createBucketCors({ db, defaultOrigins: [], now }),
      embeddedFor(tenantId) {
        const store = embedded.get(tenantId) ?? openStore(tenantId);
        embedded.set(tenantId, store);
        return store;
      },
      openRemote: options.openRemote ?? noRemote,
      onError: (error) => errors.push(error),
    });
    const analyses = createAnalyses({
      db,
      queue,
      outbox,
      stores,
      sandbox,
      models: [
        { id: 'trace-3', version: '2.0.0' },
        { id: 'acme-trace', version: '1.0.0' },
      ],
      trialMd5s: options.trialMd5s ?? [],
      limits,
      retention: { retentionDays: 0, deletedRetentionDays: 30, ...options.retention },
      now,
      storeWaitMs: options.storeWaitMs ?? 60_000,
      onError: (error) => errors.push(error),
      onNotice: (what, facts) => notices.push({ what, ...facts }),
    });
    const worker = createWorker({
      db,
      queue,
      handlers: { [runJob]: analyses.run },
      workerId,
      concurrency: 2,
      now,
      leaseMs: 60_000,
      onError: (error) => errors.push(error),
    });
    return { db, queue, tenants, configs, stores, analyses, worker };
  }

  const main = await openProcess('one');
  const { db, tenants, analyses } = main;
  const keys = createKeys({ db, pepper: masterKey, now });

  async function openTenant(name: string, isTrial = false): Promise<Caller> {
    const { id } = await tenants.create({ name, isTrial });
    const tenant = await tenants.update(id, { webhookUrl: 'https://receiver.test/hook' });
    const expiresAt = new Date(now().getTime() + 365 * dayMs);
    const { secret } = await keys.mint({ tenantId: id, name: 'test', expiresAt, by: operator });
    return { principal: await keys.authenticate(secret), tenant };
  }

  const caller = await openTenant('acme', options.isTrial);
  const { store } = await main.stores.current(caller.tenant.id);

  const create = (change: Partial<CreateRequest> = {}, who = caller) =>
    analyses.create(who, { ...createRequest(), ...change });
  const upload = async (analysis: Analysis, bytes: Uint8Array = picture) => {
    await store.put(analysis.input.storageUrls.objectKey, bytes);
    return analysis;
  };
  const start = async (tier: 'flagging' | 'forensicReporting' = 'flagging') => {
    const { input } = createRequest();
    const { id } = await upload(await create({ input: { ...input, options: { tier } } }));
    await analyses.start(caller, id);
    return id;
  };
  const complete = async (tier: 'flagging' | 'forensicReporting' = 'flagging') => {
    const id = await start(tier);
    await main.worker.drain();
    return id;
  };

  /** Makes a store the tenant's own; null stands for that of the service. */
  const chooseStore = async ({ tenant }: Caller, config: StorageConfig | null): Promise<void> =>
    transact(db, async (tx) => {
      const { id } = tenant;
      const storageConfigId = config === null ? null : await main.configs.save(tx, id, config);
      await updateTenant(tx, { id, change: { storageConfigId }, at: now(), by: operator });
    });

  /** Where the copy of the only analysis is kept, and its hashes. */
  const evidence = async () => {
    const { evidenceKey: key, evidenceSha256: sha256, evidenceMd5: md5 } = analysisRows;
    const row = await db.select({ key, sha256, md5 }).from(analysisRows).get();
    return { ...row, key: row?.key ?? '' };
  };

  /** Webhook messages in the order in which they were written. */
  const messages = async () => {
    const rows = await db.select().from(deliveries).orderBy(deliveries.seq).all();
    return rows.map(({ event, payload }) => {
      const message: Message = JSON.parse(payload);
      return { event, ...message };
    });
  };

  return {
    ...main,
    clock,
    sandbox,
    errors,
    notices,
    caller,
    store,
    openTenant,
    openProcess,
    create,
    upload,
    start,
    complete,
    chooseStore,
    evidence,
    status: async (id: string) => (await analyses.get(caller, id)).inferenceStatus,
    messages,
    /** The statuses in these messages. */
    sent: async () => (await messages()).map(({ status }) => status),
    counters: async () =>
      Object.fromEntries(
        (await db.select().from(usageCounters).all()).map(({ counter, amount }) => [
          counter,
          amount,
        ]),
      ),
  };
}

const noRemote: OpenRemoteStore = () => {
  throw new TypeError('no tenant of this test has a store of its own');
};

export interface Message {
  readonly analysisId: string;
  readonly status: string;
  readonly [field: string]: unknown;
}

/** Of the input and everything rendered. */
export function storageUrlsOf({ input, inferenceStatus }: Analysis): readonly StorageUrls[] {
  const { heatmaps, report } = inferenceStatus.result!;
  const pdfs = [report!.en.pdfStorageUrls, report!.de.pdfStorageUrls];
  return [input.storageUrls, ...Object.values(heatmaps!), ...pdfs];
}

export function createRequest(): CreateRequest {
  return {
    name: 'A photograph',
    type: 'image',
    input: { format: 'jpg', version: 'v1', width, height, filename: 'photo.jpg', options: {} },
  };
}
