import { expect, test } from 'vitest';
import { createTenants } from '../../../../src/service/tenants/tenants.ts';
import { transact } from '../../../../src/ports/db/database.ts';
import { createBucketCors } from '../../../../src/ports/storage/stores.ts';
import { createSealedConfigs, type StorageConfig } from '../../../../src/ports/storage/configs.ts';
import type { CorsOutcome } from '../../../../src/ports/storage/store.ts';
import { steppedClock, temporaryDb } from '../db/temporary.ts';
import { s3ConfigAt } from './s3-config.ts';

const minute = 60_000;

/** A bucket that records the rules it is given and returns `answer()`. */
function createBucket(
  answer: () => CorsOutcome | Promise<CorsOutcome> = () => ({ applied: true }),
) {
  const rules: (readonly string[])[] = [];
  return {
    rules,
    async applyCors(origins: readonly string[]) {
      rules.push(origins);
      return answer();
    },
  };
}

async function setUp(
  more: { corsAllowedOrigins?: readonly string[]; defaultOrigins?: readonly string[] } = {},
) {
  const { corsAllowedOrigins = null, defaultOrigins = ['https://app.example'] } = more;
  const clock = steppedClock();
  const { now } = clock;
  const db = temporaryDb();
  const { id: tenantId } = await createTenants({ db, now }).create({ name: 'acme' });
  const configs = createSealedConfigs({ key: Buffer.alloc(32, 3), now });
  const s3 = { ...s3ConfigAt('https://minio.example'), corsAllowedOrigins };
  const config: StorageConfig = { type: 's3', s3 };
  const save = () => transact(db, (tx) => configs.save(tx, tenantId, config));
  const id = await save();
  const row = async () => (await configs.find(db, { tenantId, id }))!;
  const open = () => createBucketCors({ db, defaultOrigins, now, timeoutMs: 50 });
  return { clock, config, row, open, save };
}

test('the rules are applied once, even with concurrent calls or another process', async () => {
  const { config, row, open } = await setUp();
  const bucket = createBucket();
  const cors = open();

  const before = await row();
  await Promise.all(Array.from({ length: 20 }, () => cors.ensure(before, config, bucket)));
  await cors.ensure(await row(), config, bucket);
  await open().ensure(await row(), config, bucket);

  expect(bucket.rules).toEqual([['https://app.example']]);
  expect(await row()).toMatchObject({ corsApplied: ['https://app.example'], corsWarning: null });
});

test('the origins of the configuration override those of the service', async () => {
  const { config, row, open } = await setUp({ corsAllowedOrigins: ['https://own.example'] });
  const bucket = createBucket();

  await open().ensure(await row(), config, bucket);

  expect(bucket.rules).toEqual([['https://own.example']]);
});

test('a bucket is left alone if no origin is configured', async () => {
  const { config, row, open } = await setUp({ defaultOrigins: [] });
  const bucket = createBucket();

  await open().ensure(await row(), config, bucket);

  expect(bucket.rules).toEqual([]);
});

test('a bucket that rejects rules causes a warning, and is retried only after a while', async () => {
  const { clock, config, row, open } = await setUp();
  const outcomes: CorsOutcome[] = [
    { applied: false, reason: 'not implemented' },
    { applied: true },
  ];
  const bucket = createBucket(() => outcomes.shift()!);
  const cors = open();

  await cors.ensure(await row(), config, bucket);
  await cors.ensure(await row(), config, bucket);
  const warned = await row();
  clock.step(11 * minute);
  await cors.ensure(await row(), config, bucket);

  expect(warned).toMatchObject({ corsApplied: null, corsWarning: 'not implemented' });
  expect(bucket.rules).toHaveLength(2);
  expect(await row()).toMatchObject({ corsApplied: ['https://app.example'], corsWarning: null });
});

test('callers do not wait long for an unresponsive bucket, whose late response is kept', async () => {
  const { config, row, open } = await setUp();
  const late = Promise.withResolvers<CorsOutcome>();
  const bucket = createBucket(() => late.promise);

  const startedMs = performance.now();
  await open().ensure(await row(), config, bucket);
  const waitedMs = performance.now() - startedMs;
  late.resolve({ applied: true });
  await expect.poll(async () => (await row()).corsApplied).toEqual(['https://app.example']);

  expect(waitedMs).toBeLessThan(1000);
});

test('the outcome for a configuration saved again in the meantime is dropped', async () => {
  const { config, row, open, save } = await setUp();
  const late = Promise.withResolvers<CorsOutcome>();
  const bucket = createBucket(() => late.promise);

  const ensuring = open().ensure(await row(), config, bucket);
  await save();
  late.resolve({ applied: true });
  await ensuring;

  expect((await row()).corsApplied).toBeNull();
});

test('apply sends the rules again', async () => {
  const { config, row, open } = await setUp();
  const bucket = createBucket();
  const cors = open();
  await cors.ensure(await row(), config, bucket);

  await cors.apply(await row(), config, bucket);

  expect(bucket.rules).toHaveLength(2);
});
