/** A data folder into a backup, and back, with the keys, rows and locks of this installation. */

import { existsSync, readdirSync, rmdirSync, statSync } from 'node:fs';
import { and, asc, count, eq, gt, isNull } from 'drizzle-orm';
import { outputKeys, parseRendered } from '../analyses/examination-row.ts';
import { operator, serviceChain } from '../audit/entry.ts';
import type { Audit } from '../audit/log.ts';
import type { NamedObject } from './contents.ts';
import { type Backup, createBackup } from './create.ts';
import type { Manifest } from './manifest.ts';
import {
  checkMasterKey,
  checkTarget,
  type Keys,
  masterKeysIn,
  needsNoKeys,
  restoreBackup,
  type Restored,
  type RestoreParts,
} from './restore.ts';
import { isDamaged, type Verified, verifyBackup, type VerifyParts } from './verify.ts';
import type { Settings } from '../config/config.ts';
import type { Db } from '../db/open.ts';
import { analyses, examinations, storageConfigs } from '../db/schema.ts';
import { ForensicsError } from '../errors.ts';
import { objectPath } from '../storage/embedded/buckets.ts';
import { bucketNameFor } from '../storage/embedded/credentials.ts';
import { isOfAnother, lockForServing, makeDataFolder } from '../data-folder/data-folder.ts';
import { type DataFolder, parseKey } from '../secrets/master-key.ts';
import { type Secrets, secretsOf } from '../secrets/secrets.ts';

interface BackedUp {
  readonly folder: Pick<DataFolder, 'path' | 'keyFile'>;
  readonly secrets: Secrets;
  readonly database: { readonly db: Db };
  readonly audit: Pick<Audit, 'note'>;
}

interface BackupWish {
  readonly out: string;
  readonly withKeys: boolean;
  readonly program: string;
  /** As people may see them. */
  readonly settings: Manifest['settings'];
  readonly now: () => Date;
  readonly onProgress: (step: 'database' | 'files', share: number) => void;
}

/** Told in the log of the service, which so knows the true hash of each. @throws {ForensicsError} as `createBackup` does. */
export async function backUp(core: BackedUp, wish: BackupWish): Promise<Backup> {
  const { folder, secrets, database } = core;
  const { program, settings, withKeys, ...rest } = wish;
  const here = withKeys ? 'here' : 'apart';
  const place = folder.keyFile === null ? 'environment' : here;
  const made = await createBackup({
    ...rest,
    withKeys,
    db: database.db,
    dataDir: folder.path,
    facts: { program, settings, masterKey: { place, id: idFrom(secrets.of('backup/key')) } },
    objectsOf: embeddedObjects,
    elsewhereOf: storesElsewhere,
  });
  core.audit.note({
    chain: serviceChain,
    actor: operator,
    event: 'backup.created',
    subject: null,
    details: { manifestSha256: made.manifestSha256, holdsKeys: withKeys },
  });
  return made;
}

/** @throws {ForensicsError} as `verifyBackup` does. */
export async function checkBackup(
  file: string,
  onProgress: NonNullable<VerifyParts['onProgress']>,
): Promise<Verified> {
  return verifyBackup(file, { objectsOf: embeddedObjects, onProgress });
}

type Target = Pick<Settings, 'dataDir' | 'masterKey'>;
type RestoreWish = Pick<RestoreParts, 'file' | 'mayReplace' | 'keysDir' | 'now'> & {
  readonly onProgress: NonNullable<VerifyParts['onProgress']>;
};

/** @throws {ForensicsError} as `restoreBackup` does; `conflict` while a server works there; `config_invalid`. */
export async function restore(target: Target, wish: RestoreWish): Promise<Restored> {
  const { dataDir } = target;
  refuseForeign(dataDir);
  const isNew = !existsSync(dataDir);
  makeDataFolder(dataDir);
  const unlock = lockForServing(dataDir);
  let isDone = false;
  try {
    const keys = masterKeysOf(target);
    const restored = await restoreBackup({ ...wish, dataDir, keys, objectsOf: embeddedObjects });
    isDone = true;
    return restored;
  } finally {
    unlock();
    if (isNew && !isDone && readdirSync(dataDir).length === 0) rmdirSync(dataDir);
  }
}

/** The same as far as it can be told without touching anything. */
export async function tryRestore(target: Target, wish: RestoreWish): Promise<Restored> {
  const { dataDir } = target;
  refuseForeign(dataDir);
  if (statSync(dataDir, { throwIfNoEntry: false })?.isDirectory()) {
    checkTarget({ dataDir, mayReplace: wish.mayReplace });
    lockForServing(dataDir)();
  }
  const verified = await checkBackup(wish.file, wish.onProgress);
  const { manifest, problems } = verified;
  if (manifest === null || problems.length > 0) throw isDamaged(problems);
  if (manifest.holdsKeys && wish.keysDir !== null) throw needsNoKeys();
  if (manifest.masterKey.place !== 'here') {
    const ofFiles = wish.keysDir === null ? [] : await masterKeysIn(wish.keysDir);
    checkMasterKey(manifest, { ...masterKeysOf(target), ofFiles });
  }
  return { ...verified, manifest, aside: null };
}

function masterKeysOf({ masterKey }: Target): Omit<Keys, 'ofFiles'> {
  return {
    ofSettings: masterKey === null ? null : Buffer.from(masterKey, 'hex'),
    parse: parseKey,
    idOf: (key) => idFrom(secretsOf(key).of('backup/key')),
  };
}

function idFrom(secret: Buffer): string {
  return secret.toString('hex', 0, 8);
}

/** Files that we make would be ours, and the server could not read them. */
function refuseForeign(dataDir: string): void {
  if (!isOfAnother(dataDir)) return;
  throw new ForensicsError(
    'config_invalid',
    'The data folder belongs to another user; restore as that user: sudo -u <user> forensics restore ...',
  );
}

// The texts of the reports stand in the same column as their keys.
const batch = 200;

/** Objects of the embedded store that rows name; also those of analyses that were deleted and wait for their purge. */
export function* embeddedObjects(db: Db): Generator<NamedObject> {
  for (let last = ''; ; ) {
    const rows = findRows(db, last);
    for (const { tenantId, inputKey, evidenceKey, rendered } of rows) {
      const outputs = rendered === null ? [] : outputKeys(parseRendered(rendered));
      for (const key of [inputKey, ...outputs]) yield named(tenantId, key, false);
      if (evidenceKey !== null) yield named(tenantId, evidenceKey, true);
    }
    if (rows.length < batch) return;
    last = rows.at(-1)!.id;
  }
}

export function storesElsewhere(db: Db): Manifest['elsewhere'] {
  return db
    .select({
      type: storageConfigs.type,
      place: storageConfigs.place,
      analyses: count(analyses.id),
    })
    .from(storageConfigs)
    .leftJoin(analyses, eq(analyses.storageConfigId, storageConfigs.id))
    .groupBy(storageConfigs.type, storageConfigs.place)
    .orderBy(asc(storageConfigs.place))
    .all();
}

function findRows(db: Db, after: string) {
  const { id, tenantId, inputKey, evidenceKey } = analyses;
  return db
    .select({ id, tenantId, inputKey, evidenceKey, rendered: examinations.rendered })
    .from(analyses)
    .leftJoin(examinations, eq(examinations.analysisId, id))
    .where(and(gt(id, after), isNull(analyses.storageConfigId)))
    .orderBy(asc(id))
    .limit(batch)
    .all();
}

function named(tenantId: string, key: string, isEvidence: boolean): NamedObject {
  return { path: `blobs/${objectPath(bucketNameFor(tenantId), key)}`, isEvidence };
}
