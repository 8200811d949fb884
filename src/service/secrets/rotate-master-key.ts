/**
 * Replaces the master key. All sealed data is resealed in one transaction, after which the old key opens nothing in the
 * database. Secrets that nobody else has are derived from the new key: clients refresh their tokens, and counts of
 * failed logins start again. `secrets.ts` explains which secrets stay, and why.
 *
 * The rotation needs exclusive use of the database: a server still running with the old key would seal data that no key
 * could open. After a crash at any point, either the old key or the new one opens the folder: the new key is safely
 * stored beside the old one before the transaction, and replaces it afterwards or at the next opening.
 */

import { randomBytes } from 'node:crypto';
import { operator, serviceChain } from '../audit/entry.ts';
import { append } from '../audit/log.ts';
import type { Settings } from '../../contract/config.ts';
import { databaseFile } from '../../ports/data-folder/data-folder.ts';
import { type OpenDatabase, transact } from '../../ports/db/database.ts';
import { openDatabase, wipeFreeSpace } from '../../ports/db/sqlite.ts';
import { hasCode, ForensicsError } from '../../errors.ts';
import { resealConfigs, type Resealed } from '../../ports/storage/configs.ts';
import {
  deriveSecrets,
  keepSecrets,
  keyBytes,
  openDataFolder,
  openSecrets,
  type Purpose,
} from './secrets.ts';
import { resealSigningKeys } from '../../evidence/keys-in-database.ts';

export interface Rotation extends Resealed {
  /** False if the disk is too full; data sealed under the old key can then still be found in the database file. */
  readonly isWiped: boolean;
}

const always: readonly Purpose[] = ['access/pepper'];
const inOtherHands: readonly Purpose[] = ['blobs/buckets', 'webhooks/signing'];

type RotationSettings = Pick<
  Settings,
  'dataDir' | 'databaseUrl' | 'databasePasswordFile' | 'masterKey'
>;

/**
 * @param newKey - 32 bytes; null to generate one, which requires that the key is stored in the data folder.
 * @param endsOld - also invalidates what others were given under the old key: presigned URLs and webhook secrets.
 * @throws {ForensicsError} `conflict` while any process uses the database; `usage`; whatever opening it throws.
 */
export async function rotateMasterKey(
  settings: RotationSettings,
  { newKey: given, endsOld }: { readonly newKey: Buffer | null; readonly endsOld: boolean },
  now: () => Date = () => new Date(),
): Promise<Rotation> {
  const folder = openDataFolder(settings);
  const { keyFile } = folder;
  const newKey = given ?? (keyFile === null ? null : randomBytes(keyBytes));
  if (newKey === null) {
    throw new ForensicsError(
      'usage',
      'The master key comes from the settings (FORENSICS_MASTER_KEY), so you must supply the new one with --key-file.',
    );
  }
  const { database, wipe } = await openAlone(settings, folder.path);
  try {
    const { db } = database;
    const secrets = await openSecrets(folder, db);
    const renewed = deriveSecrets(newKey);
    const [from, to] = [secrets.of('blobs/configs'), renewed.of('blobs/configs')];
    if (from.equals(to)) {
      throw new ForensicsError('usage', 'The new master key must differ from the current one.');
    }
    keyFile?.writeNext(newKey);
    const outcome = await transact(db, async (tx) => {
      const purposes = endsOld ? always : [...always, ...inOtherHands];
      await keepSecrets(tx, newKey, { secrets, purposes });
      await resealSigningKeys(tx, {
        from: secrets.of('evidence/signing'),
        to: renewed.of('evidence/signing'),
      });
      const resealed = await resealConfigs(tx, { from, to });
      const act = { chain: serviceChain, at: now(), actor: operator, subject: null };
      const details = { endsOld, resealed: resealed.resealed };
      await append(tx, { ...act, event: 'master_key.rotated', details });
      return resealed;
    });
    keyFile?.adoptNext();
    return { ...outcome, isWiped: await isWiped(wipe) };
  } finally {
    await database.close();
  }
}

/** Opens the database exclusively, on one machine or several. `wipe` removes the former contents of rows from the disk. */
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

/** Whether wiping succeeded. The rotation is complete either way. */
async function isWiped(wipe: () => void | Promise<void>): Promise<boolean> {
  try {
    await wipe();
    return true;
  } catch (error) {
    if (hasCode(error, 'no_space_left')) return false;
    throw error;
  }
}
