/**
 * A new master key in place of the old one. Everything sealed is sealed again in one transaction, so that the old key
 * opens nothing of what the database holds from then on. What nobody else has a copy of is derived from the new key: tokens are
 * refreshed by their clients, counts of failed logins start again. `secrets.ts` explains what stays, and why.
 *
 * It takes the database for itself: a server that went on under the old key would seal what no key could open. A crash
 * at any point leaves a folder that opens, under the old key or the new one: the new key lies safely beside the old one
 * before the transaction, and takes its place after it, or at the next opening.
 */

import { randomBytes } from 'node:crypto';
import { operator, serviceChain } from '../audit/entry.ts';
import { append } from '../audit/log.ts';
import type { Settings } from '../../contract/config.ts';
import { databaseFile } from '../../ports/data-folder/data-folder.ts';
import { type OpenDatabase, transact } from '../../ports/db/database.ts';
import { openDatabase, wipeFreeSpace } from '../../ports/db/sqlite.ts';
import { ForensicsError } from '../../errors.ts';
import { resealConfigs, type Resealed } from '../../ports/storage/configs.ts';
import {
  deriveSecrets,
  keepSecrets,
  keyBytes,
  openDataFolder,
  openSecrets,
  type Purpose,
} from './secrets.ts';
import { resealSigningKeys } from '../../evidence/signing-keys.ts';

interface RotationWish {
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

type RotationSettings = Pick<
  Settings,
  'dataDir' | 'databaseUrl' | 'databasePasswordFile' | 'masterKey'
>;

/** @throws {ForensicsError} `conflict` while anybody uses the database; `usage`; those of opening it. */
export async function rotateMasterKey(
  settings: RotationSettings,
  { newKey: wished, endsOld }: RotationWish,
  now: () => Date = () => new Date(),
): Promise<Rotation> {
  const folder = openDataFolder(settings);
  const { keyFile } = folder;
  const newKey = wished ?? (keyFile === null ? null : randomBytes(keyBytes));
  if (newKey === null) {
    throw new ForensicsError(
      'usage',
      'The master key comes from the settings (FORENSICS_MASTER_KEY), so the new one must come from you: give it with --key-file.',
    );
  }
  const { database, wipe } = await openAlone(settings, folder.path);
  try {
    const { db } = database;
    const secrets = await openSecrets(folder, db);
    const renewed = deriveSecrets(newKey);
    const [from, to] = [secrets.of('blobs/configs'), renewed.of('blobs/configs')];
    if (from.equals(to)) {
      throw new ForensicsError('usage', 'The new master key must differ from the present one.');
    }
    keyFile?.writeNext(newKey);
    const outcome = await transact(db, async (tx) => {
      await keepSecrets(tx, newKey, {
        secrets,
        purposes: endsOld ? always : [...always, ...inOtherHands],
      });
      await resealSigningKeys(tx, {
        from: secrets.of('evidence/signing'),
        to: renewed.of('evidence/signing'),
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
    return { ...outcome, isWiped: await isWiped(wipe) };
  } finally {
    await database.close();
  }
}

/** Whether the database serves one machine or several. `wipe` takes away what stood in rows before. */
async function openAlone(
  { databaseUrl: url, databasePasswordFile: passwordFile }: RotationSettings,
  dataDir: string,
): Promise<{ readonly database: OpenDatabase; readonly wipe: () => void | Promise<void> }> {
  if (url === null) {
    const database = openDatabase({ path: databaseFile(dataDir), isExclusive: true });
    return { database, wipe: () => wipeFreeSpace(database.db) };
  }
  const { openPostgres } = await import('../../ports/db/postgres.ts');
  const database = await openPostgres({ url, passwordFile, isExclusive: true });
  return { database, wipe: () => database.rewrite(['settings', 'storage_configs']) };
}

/** The rotation is made, whatever becomes of this. */
async function isWiped(wipe: () => void | Promise<void>): Promise<boolean> {
  try {
    await wipe();
    return true;
  } catch (error) {
    if (error instanceof ForensicsError && error.code === 'no_space_left') return false;
    throw error;
  }
}
