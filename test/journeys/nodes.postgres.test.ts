/** An installation that starts on one machine and grows: servers without workers, workers without a port. */

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fetch } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Analysis } from '../../src/contract/analysis.ts';
import { runCli, spawnCli } from '../cli/run-cli.ts';
import { sceneJpeg } from '../fixtures/pictures.ts';
import { createDatabase } from '../fixtures/postgres.ts';
import { bucket, type S3Server, startS3Server } from '../fixtures/s3-server.ts';
import { clientOf, newDataDir, type Serving, startServing } from './serving.ts';

const size = { width: 640, height: 480 };
const declared = { format: 'jpg', ...size };
const picture = await sceneJpeg({ ...size, seed: 1 });
const [first, server, mortal, heirs] = [newDataDir(), newDataDir(), newDataDir(), newDataDir()];
const bucketFile = join(first, 'bucket.json');
let buckets: S3Server;
let databaseUrl: string;
let old: { readonly apiKey: string; readonly analysis: Analysis; readonly key: string };

/** With the database file in its data folder. */
const alone = { env: { FORENSICS_DATABASE_URL: '' } };

/** Settings of every machine: where the data is, and the master key of the first. */
const shared = () => ({
  FORENSICS_DATABASE_URL: databaseUrl,
  FORENSICS_DEFAULT_STORAGE: bucketFile,
  FORENSICS_MASTER_KEY: readFileSync(join(first, 'master.key'), 'utf8').trim(),
  FORENSICS_LEASE_SECONDS: '2',
  FORENSICS_WORKERS: '0',
});

const startWorker = (dataDir: string) =>
  spawnCli(['worker', '--data-dir', dataDir, '--workers', '1'], { env: shared() });

beforeAll(async () => {
  buckets = await startS3Server();
  databaseUrl = await createDatabase(process.env['FORENSICS_TEST_POSTGRES']!);
  const serving = await startServing(first, alone.env);
  const apiKey = serving.ready.apiKey!;
  const client = clientOf(serving, 'default', apiKey);
  const made = await client.create(declared);
  await client.upload(made, picture);
  await client.send('POST', '/start', { id: made.id });
  const analysis = await client.until(made.id, ['completed']);
  await serving.end('SIGTERM');
  const { stdout: key } = await runCli(['signing-key', 'export', '--data-dir', first], alone);
  old = { apiKey, analysis, key };
  const s3 = buckets.s3Config(bucket);
  writeFileSync(bucketFile, JSON.stringify({ s3 }), { mode: 0o600 });
}, 60_000);

afterAll(async () => {
  await buckets.close();
  for (const folder of [first, server, mortal, heirs])
    rmSync(folder, { recursive: true, force: true });
});

test('a bucket that rejects the credentials is reported before anything is moved', async () => {
  const wrongFile = join(first, 'wrong.json');
  const s3 = buckets.s3Config(bucket, { secretAccessKey: 'wrong' });
  writeFileSync(wrongFile, JSON.stringify({ s3 }), { mode: 0o600 });

  const to = ['--to', databaseUrl, '--default-storage', wrongFile];
  const { code, stderr } = await runCli(['migrate', ...to, '--data-dir', first], alone);

  expect(code).toBe(2);
  expect(stderr).toMatch(/defaultStorage file specifies a store that rejects the service/);
  expect(stderr).not.toMatch(/tenants: 1/);
}, 60_000);

test('everything is moved, and cannot be moved twice', async () => {
  const to = ['--to', databaseUrl, '--default-storage', bucketFile];
  const move = () => runCli(['migrate', ...to, '--data-dir', first, '--json'], alone);

  const moved = await move();
  const again = await move();

  expect(moved).toMatchObject({ code: 0 });
  const { copied } = JSON.parse(moved.stdout);
  expect(copied).toMatchObject({ tenants: 1, analyses: 1, examinations: 1, objects: 2 });
  expect(again.code).not.toBe(0);
  expect(again.stderr).toMatch(/has already been moved to that database/);
}, 60_000);

test('a server on another machine has all the data and the same signing key', async () => {
  await during(server, async (serving, client) => {
    const { data } = (await client.get(old.analysis.id)).json<{ data: Analysis[] }>();
    const { getUrl } = data[0]!.input.storageUrls;
    const exported = await runCli(['signing-key', 'export', '--data-dir', server], {
      env: shared(),
    });
    const checked = await runCli(['audit', 'verify', '--data-dir', server], { env: shared() });

    expect(serving.ready.apiKey).toBeNull();
    expect(withoutUrls(data[0]!)).toEqual(withoutUrls(old.analysis));
    expect(Buffer.from(await (await fetch(getUrl)).arrayBuffer())).toEqual(picture);
    expect(exported.stdout).toBe(old.key);
    expect(checked.code).toBe(0);
  });
}, 60_000);

test('an analysis waits for a worker; if its machine dies, another completes it once', async () => {
  await during(server, async (_, client) => {
    const made = await client.create(declared);
    const put = await fetch(made.input.storageUrls.putUrl, { method: 'PUT', body: picture });
    await client.send('POST', '/start', { id: made.id });
    await setTimeout(500);
    const waiting = await client.until(made.id, ['pending', 'processing', 'completed']);
    const dying = startWorker(mortal);
    await client.until(made.id, ['processing', 'completed']);
    dying.kill('SIGKILL');
    await dying;
    const heir = startWorker(heirs);
    const done = await client.until(made.id, ['completed', 'failed']);
    heir.kill('SIGTERM');
    const { exitCode } = await heir;
    const usage = await runCli(['usage', '--tenant', 'default', '--json', '--data-dir', first], {
      env: shared(),
    });

    expect(put.status).toBe(200);
    expect(waiting.inferenceStatus.status).toBe('pending');
    expect(done.inferenceStatus.status).toBe('completed');
    expect(done.inferenceStatus.result?.predictions).toEqual(
      old.analysis.inferenceStatus.result?.predictions,
    );
    expect(exitCode).toBe(0);
    expect(JSON.parse(usage.stdout)).toMatchObject([
      { successfulProcessing: { byModelTypeAndTier: { image: { flagging: 2 } } } },
    ]);
  });
}, 90_000);

async function during(
  dataDir: string,
  act: (serving: Serving, client: ReturnType<typeof clientOf>) => Promise<void>,
): Promise<void> {
  const serving = await startServing(dataDir, shared());
  try {
    await act(serving, clientOf(serving, 'default', old.apiKey));
  } finally {
    await serving.end('SIGTERM');
  }
}

/** URLs are signed anew in every response and name the current store. */
function withoutUrls({ input, ...analysis }: Analysis): object {
  const { storageUrls: _, ...rest } = input;
  return { ...analysis, input: rest };
}
