/**
 * A new master key in place of the old one. Whatever is sealed is sealed anew in one transaction, so that the old key
 * opens nothing of what the database file holds from then on. What nobody else holds follows from the new key: tokens are
 * refreshed by their clients, counts of failed logins begin anew. `secrets.ts` explains what stays, and why.
 *
 * It takes the data folder for itself: a server that went on under the old key would seal what no key could open. A crash
 * at any point leaves a folder that opens, under the old key or the new one: the new key lies safely beside the old one
 * before the transaction, and takes its place after it, or at the next opening.
 */

import { randomBytes } from 'node:crypto';
import { operator, serviceChain } from '../audit/entry.ts';
import { append } from '../audit/log.ts';
import type { Settings } from '../config/config.ts';
import { databaseFile } from '../data-folder/data-folder.ts';
import { transact } from '../db/database.ts';
import { openDatabase, type SqliteDb, wipeFreeSpace } from '../db/sqlite.ts';
import { ForensicsError } from '../errors.ts';
import { resealConfigs, type Resealed } from '../storage/configs.ts';
import { keyBytes, openDataFolder } from './master-key.ts';
import { keepSecrets, openSecrets, type Purpose, secretsOf } from './secrets.ts';

export interface RotationWish {
  /** 32 bytes; null to make one, which only a key that is stored in the data folder allows. */
  readonly newKey: Buffer | null;
  /** Also end what the old key vouched for in other people's hands: presigned URLs and webhook secrets. */
  readonly endsOld: boolean;
}

export interface Rotation extends Resealed {
  /** False when the disk is too full: what was sealed under the old key can still be found in the database file. */
  readonly isWiped: boolean;
}

const always: readonly Purpose[] = ['access/pepper'];
const inOtherHands: readonly Purpose[] = ['blobs/buckets', 'webhooks/signing'];

/** @throws {ForensicsError} `conflict` while anybody uses the data folder; `usage`; those of opening it. */
export async function rotateMasterKey(
  settings: Pick<Settings, 'dataDir' | 'databaseUrl' | 'masterKey'>,
  { newKey: wished, endsOld }: RotationWish,
  now: () => Date = () => new Date(),
): Promise<Rotation> {
  if (settings.databaseUrl !== null) throw isShared();
  const folder = openDataFolder(settings);
  const { keyFile } = folder;
  const newKey = wished ?? (keyFile === null ? null : randomBytes(keyBytes));
  if (newKey === null) throw needsNewKey();
  const database = openDatabase({ path: databaseFile(folder.path), isAlone: true });
  try {
    const { db } = database;
    const secrets = await openSecrets(folder, db);
    const renewed = secretsOf(newKey);
    const [from, to] = [secrets.of('blobs/configs'), renewed.of('blobs/configs')];
    if (from.equals(to)) throw isSameKey();
    keyFile?.writeNext(newKey);
    const outcome = await transact(db, async (tx) => {
      await keepSecrets(tx, newKey, {
        secrets,
        purposes: endsOld ? always : [...always, ...inOtherHands],
      });
      const resealed = await resealConfigs(tx, { from, to });
      await append(tx, {
        chain: serviceChain,
        at: now(),
        actor: operator,
        event: 'master_key.rotated',
        subject: null,
        details: { endsOld, resealed: resealed.resealed },
      });
      return resealed;
    });
    keyFile?.adoptNext();
    return { ...outcome, isWiped: isWiped(db) };
  } finally {
    await database.close();
  }
}

/** The rotation is made, whatever becomes of this. */
function isWiped(db: SqliteDb): boolean {
  try {
    wipeFreeSpace(db);
    return true;
  } catch (error) {
    if (error instanceof ForensicsError && error.code === 'no_space_left') return false;
    throw error;
  }
}

function needsNewKey(): ForensicsError {
  return new ForensicsError(
    'usage',
    'The master key comes from the settings (FORENSICS_MASTER_KEY), so the new one must come from you: give it with --key-file.',
  );
}

function isShared(): ForensicsError {
  return new ForensicsError(
    'usage',
    'The master key of a PostgreSQL database is shared by its machines and cannot be rotated yet.',
  );
}

function isSameKey(): ForensicsError {
  return new ForensicsError('usage', 'The new master key must differ from the present one.');
}
