/**
 * Moves an installation to PostgreSQL and a bucket. The source stays unchanged, and an interrupted migration resumes;
 * until it is finished, no server accepts the new database.
 */

import { hash } from 'node:crypto';
import { asc, eq, isNull } from 'drizzle-orm';
import { outputKeys, parseRendered } from '../../service/analyses/examination-row.ts';
import type { AnalysisRow } from '../../service/analyses/rows.ts';
import type { Settings } from '../../contract/config.ts';
import { databaseFile } from '../../ports/data-folder/data-folder.ts';
import { type Db, transact } from '../../ports/db/database.ts';
import { type OpenPostgres, openPostgres } from '../../ports/db/postgres.ts';
import { analyses, examinations, settings as settingRows } from '../../ports/db/schema.ts';
import { openDatabase } from '../../ports/db/sqlite.ts';
import { auditBroken, evidenceDamaged } from '../../contract/errors.ts';
import { keptSecretsKey, openDataFolder, openSecrets } from '../../service/secrets/secrets.ts';
import type { BlobStore } from '../../ports/storage/store.ts';
import { keysInDatabase } from '../../evidence/keys-in-database.ts';
import { copySigningKeys, keysInFolder } from '../../evidence/sign.ts';
import { beginMigration, type Core, finishMigration, openCoreOn } from '../../service/core.ts';
import { openBlobs } from '../../service/storage.ts';
import { copyRows } from './copy-rows.ts';

type OnProgress = (what: string, count: number) => void;

/**
 * @param onProgress - receives a table name, or `objects`, and how many were copied.
 * @returns what this call copied.
 * @throws {ForensicsError} `conflict` while the data folder is served, or if the database holds another installation;
 *   `evidence_damaged` for an object that differs after the copy; as opening either side.
 */
export async function migrateInstallation(
  settings: Settings & { readonly databaseUrl: string },
  onProgress: OnProgress = () => undefined,
) {
  const folder = openDataFolder({ ...settings, databaseUrl: null });
  const source = openDatabase({ path: databaseFile(folder.path), isExclusive: true });
  try {
    // Rejects a wrong master key before copying anything.
    await openSecrets(folder, source.db);
    // Likewise rejects a store that does not accept our credentials.
    const core = await openCoreOn(source, settings);
    await openBlobs({ settings, core, now: core.now, onError: raise }).prove();
    const target = await openPostgres({
      url: settings.databaseUrl,
      passwordFile: settings.databasePasswordFile,
    });
    try {
      return await migrate(settings, source.db, target, onProgress);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function migrate(settings: Settings, source: Db, target: OpenPostgres, report: OnProgress) {
  const copied: Record<string, number> = {};
  const count: OnProgress = (what, number) => {
    copied[what] = number;
    report(what, number);
  };
  // Identifies the installation by a hash of data sealed under its master key; the hash does not reveal the key.
  const kept = source.select().from(settingRows).where(eq(settingRows.key, keptSecretsKey));
  await beginMigration(target.db, hash('sha256', (await kept.get())?.value ?? ''));
  await copyRows(source, target.db, count);
  const core = await openCoreOn(target, settings);
  const newKeys = keysInDatabase(target.db, core.secrets.of('evidence/signing'));
  await copySigningKeys(keysInFolder(core.folder.path), newKeys);
  if (settings.defaultStorage !== null) await moveAllObjects(settings, core, count);
  for (const chain of await core.audit.chains()) {
    const { broken } = await core.audit.verify(chain);
    if (broken === null) continue;
    const message = `The audit log ${chain} is broken. ${broken.explanation} "forensics audit verify" shows whether it was already broken in the source.`;
    throw auditBroken(message);
  }
  await finishMigration(target.db);
  return { copied };
}

async function moveAllObjects(settings: Settings, core: Core, count: OnProgress): Promise<void> {
  const { db } = core.database;
  const { stores, storage } = openBlobs({ settings, core, now: core.now, onError: raise });
  const { shared } = storage;
  if (shared === null) return;
  const isEmbedded = isNull(analyses.storageConfigId);
  for (let objects = 0; ; ) {
    const next = db.select().from(analyses).where(isEmbedded).orderBy(asc(analyses.id)).limit(1);
    const row = await next.get();
    if (row === undefined) return;
    const { tenantId } = row;
    const { id: storageConfigId } = await shared.rowFor(tenantId);
    const from = await stores.of({ tenantId, storageConfigId: null });
    const to = await stores.of({ tenantId, storageConfigId });
    const inputEtag = await moveObjects(db, { row, from, to }, () => count('objects', ++objects));
    const change = { storageConfigId, storageType: to.type, inputEtag };
    await transact(db, (tx) =>
      tx.update(analyses).set(change).where(eq(analyses.id, row.id)).run(),
    );
  }
}

function raise(error: unknown): never {
  throw error;
}

// No setting allows an upload larger than this.
const maxObjectBytes = 1_000_000_000;

/** @returns the ETag of the upload in its new store if the old ETag matched, otherwise the old one. */
async function moveObjects(
  db: Db,
  { row, from, to }: { row: AnalysisRow; from: BlobStore; to: BlobStore },
  onMoved: () => void,
): Promise<string | null> {
  const examined = db.select().from(examinations).where(eq(examinations.analysisId, row.id));
  const rendered = (await examined.get())?.rendered ?? null;
  const outputs = rendered === null ? [] : outputKeys(parseRendered(rendered));
  let { inputEtag } = row;
  for (const key of [row.inputKey, row.evidenceKey, ...outputs]) {
    const info = key === null ? null : await from.head(key);
    if (key === null || info === null) continue;
    const bytes = await from.read(key, maxObjectBytes);
    const put = await to.put(key, bytes, { contentType: info.contentType });
    if (!Buffer.from(await to.read(key, maxObjectBytes)).equals(bytes)) {
      throw evidenceDamaged(
        `The object ${key} of analysis ${row.id} differs in its new store; check that store and run the migration again.`,
      );
    }
    if (key === row.inputKey && inputEtag === info.etag) inputEtag = put.etag;
    onMoved();
  }
  return inputEtag;
}
