import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { embeddedObjects } from '../../../../src/ops/backup/contents.ts';
import { openCore } from '../../../../src/service/core.ts';
import { readConfig } from '../../../../src/contract/config.ts';
import { newId } from '../../../../src/ports/db/database.ts';
import { analyses } from '../../../../src/ports/db/schema.ts';
import { bucketName, createBuckets } from '../../../../src/ports/storage/embedded/buckets.ts';
import { analysisRow } from '../../ports/db/analysis-row.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'forensics-backup-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const now = () => new Date('2026-03-01T12:00:00Z');
const settingsOf = (dataDir: string) =>
  readConfig({ flags: { dataDir }, environment: {} }).settings;

async function folderWith(tenant: string): Promise<string> {
  const dataDir = join(root, tenant);
  const core = await openCore(settingsOf(dataDir), now);
  await core.tenants.create({ name: tenant });
  await core.close();
  return dataDir;
}

test('the objects named by rows match the files written by the embedded store', async () => {
  const dataDir = await folderWith('acme');
  const core = await openCore(settingsOf(dataDir), now);
  const { db } = core.database;
  const tenantId = (await core.tenants.byName('acme'))!.id;
  const id = newId(now());
  const [inputKey, evidenceKey] = [`analyses/${id}/input.jpg`, `evidence/${id}`];
  await db.insert(analyses).values(analysisRow(id, { tenantId, inputKey, evidenceKey })).run();
  const objects = createBuckets({ root: join(dataDir, 'blobs') }).open(bucketName(tenantId));
  for (const key of [inputKey, evidenceKey]) {
    await objects.write(key, {
      source: Readable.from([Buffer.from('bytes')]),
      contentType: 'image/jpeg',
    });
  }

  const named = await Array.fromAsync(embeddedObjects(db));
  await core.close();

  expect(named.map(({ isEvidence }) => isEvidence)).toEqual([false, true]);
  const files = readdirSync(join(dataDir, 'blobs'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  expect(named.map(({ path }) => join(dataDir, path)).toSorted()).toEqual(files.toSorted());
});
