/** A running server is backed up, its machine is lost, and another continues from the backup. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { emptyFolder, runHere } from '../cli/run-cli.ts';
import { sceneJpeg } from '../fixtures/pictures.ts';
import { clientOf, newDataDir, only, type Serving, startServing } from './serving.ts';

const small = { width: 160, height: 120 };
const large = { width: 640, height: 480 };
const environment = { FORENSICS_LEASE_SECONDS: '2' };
const dataDir = newDataDir();
let serving: Serving;

afterAll(() => serving.end('SIGTERM'));

type Client = ReturnType<typeof clientOf>;

async function begun(client: Client, size: typeof small, tier: string): Promise<string> {
  const made = await client.create({ format: 'jpg', ...size, options: { tier } });
  await client.upload(made, await sceneJpeg({ ...size, seed: 1 }));
  await client.send('POST', '/start', { id: made.id });
  return made.id;
}

const report = (id: string, folder: string, out: string) =>
  runHere(['report', id, '--tenant', 'default', '--out', out, '--data-dir', folder]);

test('a lost service continues from its backup: analyses, keys, evidence, log and queue', async () => {
  const folder = await emptyFolder();
  const [out, restored] = [join(folder, 'backup.tar'), join(folder, 'restored')];
  serving = await startServing(dataDir, environment);
  const apiKey = serving.ready.apiKey ?? '';
  const before = clientOf(serving, 'default', apiKey);
  const done = await begun(before, small, 'forensicReporting');
  const completed = await before.until(done, ['completed']);
  const { putUrl } = completed.inferenceStatus.result!.report!.en.pdfStorageUrls;
  const pdf = await before.download(
    completed.inferenceStatus.result!.report!.en.pdfStorageUrls.getUrl,
  );
  const exported = await runHere(['signing-key', 'export', '--data-dir', dataDir]);
  const waiting = [await begun(before, large, 'flagging'), await begun(before, large, 'flagging')];
  const pending = await before.create({ format: 'jpg', ...small });

  const created = await runHere([
    'backup',
    'create',
    '--out',
    out,
    '--data-dir',
    dataDir,
    '--json',
  ]);
  const { pathname, search } = new URL(putUrl);
  // What happens after the snapshot is not in it, and must not damage it.
  await serving.ask({ method: 'PUT', path: pathname + search, body: Buffer.from('later') });
  await serving.end('SIGKILL');
  const verified = await runHere(['backup', 'verify', out]);
  const restoring = await runHere(['restore', out, '--data-dir', restored]);
  serving = await startServing(restored, environment);
  const after = clientOf(serving, 'default', apiKey);
  const old = only(await after.get(done));
  const oldPdf = await after.download(old.inferenceStatus.result!.report!.en.pdfStorageUrls.getUrl);
  const resumed = [];
  for (const id of waiting) resumed.push(await after.until(id, ['completed', 'failed']));
  const uploaded = await after.upload(
    only(await after.get(pending.id)),
    await sceneJpeg({ ...small, seed: 4 }),
  );

  expect(created.code).toBe(0);
  const { manifest } = JSON.parse(created.stdout);
  expect(manifest.rows).toMatchObject({ tenants: 1, analyses: 4 });
  expect(manifest.rows.jobs).toBeGreaterThan(0);
  expect(manifest.absent.some(({ isEvidence }: { isEvidence: boolean }) => isEvidence)).toBe(false);
  expect([verified.code, restoring.code]).toEqual([0, 0]);
  expect(serving.ready).toMatchObject({ tenantName: null, apiKey: null });
  expect(old.inferenceStatus.result).toMatchObject({
    predictions: completed.inferenceStatus.result!.predictions,
  });
  expect(oldPdf).toEqual(pdf);
  expect(resumed.map(({ inferenceStatus }) => inferenceStatus.status)).toEqual([
    'completed',
    'completed',
  ]);
  expect(uploaded.status).toBe(200);
  await expectEvidence(done, restored, folder, exported.stdout);
}, 90_000);

/** A bundle signed by the restored service verifies with the key exported earlier, and its log verifies too. */
async function expectEvidence(
  id: string,
  restored: string,
  folder: string,
  publicKey: string,
): Promise<void> {
  const [bundle, key] = [join(folder, 'evidence.zip'), join(folder, 'examiner.pem')];
  await writeFile(key, publicKey);

  const made = await report(id, restored, bundle);
  const verified = await runHere(['verify', bundle, '--key', key, '--json']);
  const audited = await runHere(['audit', 'verify', '--data-dir', restored]);

  expect(made.code).toBe(0);
  expect(JSON.parse(verified.stdout)).toMatchObject({ holds: true, key: { isExpected: true } });
  expect(audited.code).toBe(0);
  const authority = ['tls', 'ca.pem'];
  expect(await readFile(join(restored, ...authority))).toEqual(
    await readFile(join(dataDir, ...authority)),
  );
}
