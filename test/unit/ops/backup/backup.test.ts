import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { embeddedObjects } from '../../../../src/ops/backup/contents.ts';
import { hasInstallation, openCore } from '../../../../src/service/core.ts';
import { lockForServing } from '../../../../src/ports/data-folder/data-folder.ts';
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

async function tenantsOf(dataDir: string): Promise<readonly string[]> {
  const core = await openCore(settingsOf(dataDir), now);
  try {
    return (await core.tenants.list()).map(({ name }) => name);
  } finally {
    await core.close();
  }
}

async function folderWith(tenant: string): Promise<string> {
  const dataDir = join(root, tenant);
  const core = await openCore(settingsOf(dataDir), now);
  await core.tenants.create({ name: tenant });
  await core.close();
  return dataDir;
}

/** As left by a restore that was interrupted right after its point of no return. */
async function halfRestored(): Promise<string> {
  const [dataDir, fresh] = [await folderWith('old'), await folderWith('fresh')];
  const old = readdirSync(dataDir);
  renameSync(fresh, join(dataDir, '.restoring-1'));
  mkdirSync(join(dataDir, 'before-restore-1'));
  const journal = { staging: '.restoring-1', aside: 'before-restore-1', old };
  writeFileSync(join(dataDir, 'restore.json'), JSON.stringify(journal));
  return dataDir;
}

test('opening a data folder completes an interrupted restore', async () => {
  const dataDir = await halfRestored();

  expect(await tenantsOf(dataDir)).toEqual(['fresh']);
  expect(await tenantsOf(join(dataDir, 'before-restore-1'))).toEqual(['old']);
  expect(readdirSync(dataDir).filter((name) => /restore\.json|^\.restoring/.test(name))).toEqual(
    [],
  );
});

test('checking for an installation completes it too', async () => {
  const dataDir = await halfRestored();
  renameSync(join(dataDir, 'forensics.db'), join(dataDir, 'before-restore-1', 'forensics.db'));

  expect(hasInstallation({ dataDir, databaseUrl: null })).toBe(true);
});

test('a restore in progress is left alone', async () => {
  const dataDir = await halfRestored();
  const before = readdirSync(dataDir).toSorted();
  const unlock = lockForServing(dataDir);

  expect(() => hasInstallation({ dataDir, databaseUrl: null })).toThrow(
    expect.objectContaining({ code: 'conflict' }),
  );

  unlock();
  expect(readdirSync(dataDir).toSorted()).toEqual(before);
});

test('the objects named by rows match the files written by the embedded store', async () => {
  const dataDir = await folderWith('acme');
  const core = await openCore(settingsOf(dataDir), now);
  const { db } = core.database;
  const tenantId = (await core.tenants.byName('acme'))!.id;
  const id = newId(now());
  const [inputKey, evidenceKey] = [`analyses/${id}/input.jpg`, `evidence/${id}`];
  await db.insert(analyses).values(analysisRow(id, { tenantId, inputKey, evidenceKey })).run();
  const { objects } = createBuckets({ root: join(dataDir, 'blobs') }).open(bucketName(tenantId));
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
