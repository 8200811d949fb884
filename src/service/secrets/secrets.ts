/**
 * Every secret of the program, one for each purpose. Each is derived from the master key when needed, so that nothing
 * can leak from the database.
 *
 * The exceptions are secrets that outlive their master key. API keys are stored as digests made with a pepper. A new
 * pepper would need the keys themselves, so the pepper stays; this is safe, because 160 random bits per key cannot be
 * guessed. Webhook secrets and presigned URLs have been given to others, and stay valid unless a rotation ends them.
 * These secrets are stored in the database, sealed under the current master key.
 */

import { hkdfSync, randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { type Db, transact, type Tx, type OpenDatabase } from '../../ports/db/database.ts';
import { settings as settingRows } from '../../ports/db/schema.ts';
import { configInvalid, nullOn, usageError } from '../../contract/errors.ts';
import { createSeal, resealConfigs, type Resealed } from '../../ports/storage/configs.ts';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../../contract/config.ts';
import {
  assertDatabasePresent,
  databaseFile,
  makeDataFolder,
} from '../../ports/data-folder/data-folder.ts';
import { cannotWrite, syncFolder, writeOnce } from '../../ports/files/files.ts';
import { operator, serviceChain } from '../audit/entry.ts';
import { append } from '../audit/log.ts';
import { openDatabase, wipeFreeSpace } from '../../ports/db/sqlite.ts';
import { resealSigningKeys } from '../../evidence/keys-in-database.ts';

/**
 * `backup/key` identifies the master key in backups; `blobs/buckets` signs presigned URLs of the
 * embedded store; `blobs/configs` seals the tenants' storage configurations; `evidence/signing`
 * seals the signing keys in a database; `log/accounts` hashes accounts in the log.
 */
export type Purpose =
  | 'access/attempts'
  | 'access/pepper'
  | 'access/tokens'
  | 'backup/key'
  | 'blobs/buckets'
  | 'blobs/configs'
  | 'evidence/signing'
  | 'log/accounts'
  | 'webhooks/signing';

export interface Secrets {
  /** 32 bytes, always the same for a given purpose, and revealing nothing about the secrets for other purposes. */
  of(purpose: Purpose): Buffer;
}

type Kept = Partial<Record<string, string>>;

export const keptSecretsKey = 'kept-secrets';
const binding = 'forensics/app/kept-secrets/1';

/**
 * Derives the secrets. The first call binds the database to its master key, so that a different key is noticed before
 * it seals anything. Also completes an interrupted rotation of the master key.
 *
 * @throws {ForensicsError} `config_invalid` if the database was last sealed under another master key.
 */
export async function openSecrets({ masterKey, keyFile }: DataFolder, db: Db): Promise<Secrets> {
  const stored = await db
    .select()
    .from(settingRows)
    .where(eq(settingRows.key, keptSecretsKey))
    .get();
  if (stored === undefined) {
    const secrets = deriveSecrets(masterKey);
    await transact(db, (tx) => keepSecrets(tx, masterKey, { secrets, purposes: [] }));
    return secrets;
  }
  const sealed = Buffer.from(stored.value, 'base64');
  const kept = unseal(sealed, masterKey);
  if (kept !== null) return deriveSecrets(masterKey, kept);
  const next = keyFile?.readNext() ?? null;
  const keptByNext = next === null ? null : unseal(sealed, next);
  if (keyFile !== null && next !== null && keptByNext !== null) {
    keyFile.adoptNext();
    return deriveSecrets(next, keptByNext);
  }
  // Another process may have completed the rotation after our first look.
  const latest = keyFile?.read() ?? masterKey;
  const keptByLatest = unseal(sealed, latest);
  if (keptByLatest !== null) return deriveSecrets(latest, keptByLatest);
  throw configInvalid(wrongKeyMessage(db, keyFile !== null));
}

function wrongKeyMessage({ engine }: Db, isFromFile: boolean): string {
  if (!isFromFile) {
    return 'FORENSICS_MASTER_KEY does not open this database; set it to the key the database was created with or, after a rotation, to the new one.';
  }
  return engine === 'sqlite'
    ? 'The file master.key does not belong to the database beside it; restore the right one.'
    : 'The file master.key in the data folder does not belong to this database; copy it from the first machine, or set FORENSICS_MASTER_KEY.';
}

/** The secrets of a master key under which nothing is stored yet. */
export function deriveSecrets(masterKey: Buffer, kept: Kept = {}): Secrets {
  return {
    of(purpose) {
      const stayed = kept[purpose];
      return stayed === undefined ? derive(masterKey, purpose) : Buffer.from(stayed, 'base64');
    },
  };
}

/** Keeps these secrets unchanged under a new master key; all others follow the new key. */
async function keepSecrets(
  tx: Tx,
  newKey: Buffer,
  { secrets, purposes }: { readonly secrets: Secrets; readonly purposes: readonly Purpose[] },
): Promise<void> {
  const kept: Kept = Object.fromEntries(
    purposes.map((purpose) => [purpose, secrets.of(purpose).toString('base64')]),
  );
  const value = keptSeal(newKey).seal(JSON.stringify(kept), binding).toString('base64');
  await tx
    .insert(settingRows)
    .values({ key: keptSecretsKey, value })
    .onConflictDoUpdate({ target: settingRows.key, set: { value } })
    .run();
}

function unseal(sealed: Buffer, masterKey: Buffer): Kept | null {
  try {
    return JSON.parse(keptSeal(masterKey).open(sealed, binding));
  } catch {
    return null;
  }
}

function keptSeal(masterKey: Buffer) {
  return createSeal(derive(masterKey, 'app/kept-secrets'));
}

function derive(masterKey: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, '', `forensics/${purpose}/1`, keyBytes));
}

// The file that stores the master key. A new key is first written beside it, and replaces it only
// when everything is sealed under the new key, so one of the two files always opens the database.

export const keyBytes = 32;

export interface DataFolder {
  readonly path: string;
  /** 32 bytes. */
  readonly masterKey: Buffer;
  /** Null if the settings contain the master key. */
  readonly keyFile: ReturnType<typeof createKeyFile> | null;
}

/**
 * Creates the master key of a new folder. Call it once, before its database is created.
 *
 * @throws {ForensicsError} `config_invalid` if the folder cannot be used or its master key is damaged;
 *   `database_damaged` if its database is missing.
 */
export function openDataFolder({
  dataDir: path,
  masterKey,
  databaseUrl,
}: Pick<Settings, 'dataDir' | 'masterKey' | 'databaseUrl'>): DataFolder {
  makeDataFolder(path);
  if (databaseUrl === null) assertDatabasePresent(path);
  if (masterKey !== null) return { path, masterKey: Buffer.from(masterKey, 'hex'), keyFile: null };
  const keyFile = createKeyFile(path);
  return { path, masterKey: keyFile.read(), keyFile };
}

function createKeyFile(dataDir: string) {
  const file = join(dataDir, 'master.key');
  const next = `${file}.next`;
  return {
    /** Creates it if there is no database yet. @throws {ForensicsError} `config_invalid` if damaged or missing. */
    read() {
      const kept = readKey(file) ?? readExistingKey(databaseFile(dataDir), file);
      if (kept !== null) return kept;
      const made = randomBytes(keyBytes);
      // Another process may have been first; if so, its key counts.
      return writeOnce(file, textWith(made)) ? made : (readKey(file) ?? made);
    },
    // A partly written key was never used: the database is only updated once the file is safely stored.
    /** The new key beside the current one; null if it is missing or incomplete. */
    readNext: () => parseKey(readText(next) ?? ''),
    writeNext(key: Buffer) {
      rmSync(next, { force: true });
      if (!writeOnce(next, textWith(key))) throw cannotWrite(null);
    },
    /** Puts the new key in place of the old one, which is deleted. Does nothing if another process has done so. */
    adoptNext() {
      try {
        renameSync(next, file);
      } catch (error) {
        if (existsSync(next)) throw cannotWrite(error);
      }
      syncFolder(dataDir);
    },
  };
}

/** @param text - 64 hexadecimal digits, with optional white space around them. @returns null for anything else. */
export function parseKey(text: string): Buffer | null {
  const digits = text.trim();
  return /^[0-9a-f]{64}$/i.test(digits) ? Buffer.from(digits, 'hex') : null;
}

function textWith(key: Buffer): string {
  return `${key.toString('hex')}\n`;
}

function readKey(file: string): Buffer | null {
  const text = readText(file);
  const key = text === null ? null : parseKey(text);
  if (text === null || key !== null) return key;
  throw configInvalid(
    'The file master.key in the data folder is damaged; restore it from a copy. Without it, no API key of this installation works.',
  );
}

/**
 * Never creates a second key for a database: data sealed under the first one could never be opened
 * again. The key is created before the database, so a process that finds a database without a key
 * looks once more, in case another process has just created both.
 */
function readExistingKey(database: string, file: string): Buffer | null {
  if (!existsSync(database)) return null;
  const key = readKey(file);
  if (key !== null) return key;
  throw configInvalid(
    'The file master.key is missing from the data folder; restore it from a backup or, if the key was kept in FORENSICS_MASTER_KEY, set that again.',
  );
}

/** Returns null if the file does not exist. */
function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (!existsSync(file)) return null;
    throw configInvalid(
      'The master key in the data folder cannot be read; run as the user who owns the folder.',
      { cause: error },
    );
  }
}

/**
 * Replaces the master key. All sealed data is resealed in one transaction, after which the old key opens nothing in the
 * database. Secrets that nobody else has are derived from the new key: clients refresh their tokens, and counts of
 * failed logins start again. `secrets.ts` explains which secrets stay, and why.
 *
 * The rotation needs exclusive use of the database: a server still running with the old key would seal data that no key
 * could open. After a crash at any point, either the old key or the new one opens the folder: the new key is safely
 * stored beside the old one before the transaction, and replaces it afterwards or at the next opening.
 */

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
    throw usageError(
      'The master key comes from the settings (FORENSICS_MASTER_KEY), so you must supply the new one with --key-file.',
    );
  }
  const { database, wipe } = await openAlone(settings, folder.path);
  try {
    const { db } = database;
    const secrets = await openSecrets(folder, db);
    const renewed = deriveSecrets(newKey);
    const [from, to] = [secrets.of('blobs/configs'), renewed.of('blobs/configs')];
    if (from.equals(to)) throw usageError('The new master key must differ from the current one.');
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
    // The rotation is complete, whether or not this succeeds.
    const wiped = await nullOn(['no_space_left'], async () => {
      await wipe();
      return true;
    });
    return { ...outcome, isWiped: wiped !== null };
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
