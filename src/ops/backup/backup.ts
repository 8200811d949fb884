/** A data folder into a backup, with the keys and rows of this installation; and whether a backup is whole. */

import { and, asc, count, eq, gt, isNull } from 'drizzle-orm';
import { outputKeys, parseRendered } from '../../service/analyses/examination-row.ts';
import { operator, serviceChain } from '../../service/audit/entry.ts';
import type { Audit } from '../../service/audit/log.ts';
import type { Db } from '../../ports/db/database.ts';
import { analyses, examinations, storageConfigs } from '../../ports/db/schema.ts';
import type { DataFolder } from '../../service/secrets/master-key.ts';
import type { Secrets } from '../../service/secrets/secrets.ts';
import { bucketName, objectPath } from '../../ports/storage/embedded/buckets.ts';
import type { Manifest, NamedObject } from './contents.ts';
import { type Backup, createBackup } from './create.ts';
import { type Verified, verifyBackup, type VerifyOptions } from './verify.ts';

interface BackedUp {
  readonly folder: Pick<DataFolder, 'path' | 'keyFile'>;
  readonly secrets: Secrets;
  readonly database: { readonly db: Db };
  readonly audit: Pick<Audit, 'note'>;
}

interface BackupRequest {
  readonly out: string;
  readonly withKeys: boolean;
  readonly program: string;
  /** As people may see them. */
  readonly settings: Manifest['settings'];
  readonly now: () => Date;
  readonly onProgress: (step: 'database' | 'files', share: number) => void;
}

/** Told in the log of the service, which so knows the true hash of each. @throws {ForensicsError} as `createBackup` does. */
export async function backUp(core: BackedUp, request: BackupRequest): Promise<Backup> {
  const { folder, secrets, database } = core;
  const { program, settings, withKeys, ...rest } = request;
  const here = withKeys ? 'here' : 'apart';
  const place = folder.keyFile === null ? 'environment' : here;
  const made = await createBackup({
    ...rest,
    withKeys,
    db: database.db,
    dataDir: folder.path,
    facts: { program, settings, masterKey: { place, id: idFrom(secrets.of('backup/key')) } },
    listObjects: embeddedObjects,
    listElsewhere: storesElsewhere,
  });
  await core.audit.note({
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
  onProgress: NonNullable<VerifyOptions['onProgress']>,
): Promise<Verified> {
  return verifyBackup(file, { listObjects: embeddedObjects, onProgress });
}

/** Of a key that was derived for it: shows whether a master key is the same, and nothing else. */
export function idFrom(secret: Buffer): string {
  return secret.toString('hex', 0, 8);
}

// The texts of the reports stand in the same column as their keys.
const batch = 200;

/** Objects of the embedded store that rows name; also those of analyses that were deleted and wait for their purge. */
export async function* embeddedObjects(db: Db): AsyncGenerator<NamedObject> {
  for (let last = ''; ; ) {
    const rows = await findRows(db, last);
    for (const { tenantId, inputKey, evidenceKey, rendered } of rows) {
      const outputs = rendered === null ? [] : outputKeys(parseRendered(rendered));
      for (const key of [inputKey, ...outputs]) yield named(tenantId, key, false);
      if (evidenceKey !== null) yield named(tenantId, evidenceKey, true);
    }
    if (rows.length < batch) return;
    last = rows.at(-1)!.id;
  }
}

export async function storesElsewhere(db: Db): Promise<Manifest['elsewhere']> {
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

async function findRows(db: Db, after: string) {
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
  return { path: `blobs/${objectPath(bucketName(tenantId), key)}`, isEvidence };
}
