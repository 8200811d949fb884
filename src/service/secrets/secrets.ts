/**
 * Every secret of the program, one a purpose. Each is derived from the master key whenever it is needed, so that nothing
 * can leak from the database.
 *
 * But for those that outlive the master key which they came from. API keys are stored as digests under the pepper; nobody
 * could compute them under another one without the keys themselves, and the pepper may stay: with 160 random bits in each
 * key it guards nothing that could be guessed. Webhook secrets and presigned URLs are in other people's hands; they stay
 * unless a rotation requires otherwise. What stays is stored in the database, sealed under the present master key.
 */

import { hkdfSync, randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { type Db, transact, type Tx } from '../../ports/db/database.ts';
import { settings } from '../../ports/db/schema.ts';
import { ForensicsError } from '../../errors.ts';
import { createSeal } from '../../ports/storage/configs.ts';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../../contract/config.ts';
import {
  assertDatabasePresent,
  databaseFile,
  makeDataFolder,
} from '../../ports/data-folder/data-folder.ts';
import { cannotWrite, syncFolder, writeOnce } from '../../ports/files/atomic-write.ts';

/** `backup/key` names the master key in backups; `blobs/buckets` signs presigned URLs of the embedded store; `blobs/configs` seals the tenants' storage configurations; `evidence/signing` seals the signing keys in a database; `log/accounts` hashes accounts in the log. */
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
  /** 32 bytes that are the same for the same purpose, and reveal nothing about those of another. */
  of(purpose: Purpose): Buffer;
}

/** In base64, by purpose. */
type Kept = Partial<Record<string, string>>;

/** Row of the settings. */
export const keptSecretsKey = 'kept-secrets';
const binding = 'forensics/app/kept-secrets/1';

/**
 * The first opening binds the database to its master key, so that another one is noticed before it seals anything. Also
 * ends a rotation of the master key that was cut short.
 *
 * @throws {ForensicsError} `config_invalid` when the master key is not the one that the database was last sealed under.
 */
export async function openSecrets({ masterKey, keyFile }: DataFolder, db: Db): Promise<Secrets> {
  const stored = await db.select().from(settings).where(eq(settings.key, keptSecretsKey)).get();
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
  // Another process may have ended the rotation after our first look.
  const latest = keyFile?.read() ?? masterKey;
  const keptByLatest = unseal(sealed, latest);
  if (keptByLatest !== null) return deriveSecrets(latest, keptByLatest);
  throw new ForensicsError('config_invalid', wrongKeyMessage(db, keyFile !== null));
}

function wrongKeyMessage({ engine }: Db, isFromFile: boolean): string {
  if (!isFromFile) {
    return 'FORENSICS_MASTER_KEY does not open this database; set it to the key that it was made with or, after a rotation, to the new one.';
  }
  return engine === 'sqlite'
    ? 'The file master.key does not belong to the database beside it; put back the one that does.'
    : 'The file master.key in the data folder is not the one that the database was made with; copy that one from the first machine, or set FORENSICS_MASTER_KEY.';
}

/** Those of a master key under which nothing is stored yet. */
export function deriveSecrets(masterKey: Buffer, kept: Kept = {}): Secrets {
  return {
    of(purpose) {
      const stayed = kept[purpose];
      return stayed === undefined ? derive(masterKey, purpose) : Buffer.from(stayed, 'base64');
    },
  };
}

/** Keeps these secrets as they are under a new master key; all others follow from that. */
export async function keepSecrets(
  tx: Tx,
  newKey: Buffer,
  { secrets, purposes }: { readonly secrets: Secrets; readonly purposes: readonly Purpose[] },
): Promise<void> {
  const kept: Kept = Object.fromEntries(
    purposes.map((purpose) => [purpose, secrets.of(purpose).toString('base64')]),
  );
  const value = keptSeal(newKey).seal(JSON.stringify(kept), binding).toString('base64');
  await tx
    .insert(settings)
    .values({ key: keptSecretsKey, value })
    .onConflictDoUpdate({ target: settings.key, set: { value } })
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

// The file that keeps the master key. A new key is first laid beside it and takes its place only when everything was
// sealed under it: at every moment one of the two files opens the database.

interface KeyFile {
  /**
   * The key, made by the first call, where there is no database yet.
   *
   * @throws {ForensicsError} `config_invalid` when the file is damaged, or is missing beside its database.
   */
  read(): Buffer;
  /** The key that was laid beside; null when there is none, or only a part of one. */
  readNext(): Buffer | null;
  /** Lays a new key beside the present one. */
  writeNext(key: Buffer): void;
  /** The new key replaces the old one, which is deleted. Does nothing when another process did it. */
  adoptNext(): void;
}

export const keyBytes = 32;

export interface DataFolder {
  readonly path: string;
  /** 32 bytes. */
  readonly masterKey: Buffer;
  /** Null when the settings contain the master key. */
  readonly keyFile: KeyFile | null;
}

/**
 * Makes the master key of a new folder. To be called once before its database is made.
 *
 * @throws {ForensicsError} `config_invalid` when the folder cannot be used or its master key is damaged;
 *   `database_damaged` when its database is gone.
 */
export function openDataFolder({
  dataDir: path,
  masterKey,
  databaseUrl,
}: Pick<Settings, 'dataDir' | 'masterKey' | 'databaseUrl'>): DataFolder {
  makeDataFolder(path);
  if (databaseUrl === null) assertDatabasePresent(path);
  if (masterKey !== null) {
    return { path, masterKey: Buffer.from(masterKey, 'hex'), keyFile: null };
  }
  const keyFile = createKeyFile(path);
  return { path, masterKey: keyFile.read(), keyFile };
}

function createKeyFile(dataDir: string): KeyFile {
  const file = join(dataDir, 'master.key');
  const next = `${file}.next`;
  return {
    read() {
      const kept = readKey(file) ?? readExistingKey(databaseFile(dataDir), file);
      if (kept !== null) return kept;
      const made = randomBytes(keyBytes);
      // Another process may have been first; then its key counts.
      return writeOnce(file, textWith(made)) ? made : (readKey(file) ?? made);
    },
    // Half of a key was never used: the database is updated only when the file is safe.
    readNext: () => parseKey(readText(next) ?? ''),
    writeNext(key) {
      rmSync(next, { force: true });
      if (!writeOnce(next, textWith(key))) throw cannotWrite(null);
    },
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

/** @param text - 64 hexadecimal digits, and blank space around them. @returns null for anything else. */
export function parseKey(text: string): Buffer | null {
  const digits = text.trim();
  return /^[0-9a-f]{64}$/i.test(digits) ? Buffer.from(digits, 'hex') : null;
}

function textWith(key: Buffer): string {
  return `${key.toString('hex')}\n`;
}

function readKey(file: string): Buffer | null {
  const text = readText(file);
  if (text === null) return null;
  const key = parseKey(text);
  if (key !== null) return key;
  throw new ForensicsError(
    'config_invalid',
    'The file master.key in the data folder is damaged; put back a copy of it. Without it no API key of this folder is valid.',
  );
}

/**
 * A database is never sealed under a second key: what the first one sealed would never be opened again. The key is made
 * before the database is, so a process that finds a database and no key looks once more: another process may just have begun.
 */
function readExistingKey(database: string, file: string): Buffer | null {
  if (!existsSync(database)) return null;
  const key = readKey(file);
  if (key !== null) return key;
  throw new ForensicsError(
    'config_invalid',
    'The file master.key is missing beside its database; put it back from a backup, or set FORENSICS_MASTER_KEY where the key was kept there.',
  );
}

/** Null when there is no such file. */
function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (!existsSync(file)) return null;
    throw new ForensicsError(
      'config_invalid',
      'The master key in the data folder cannot be read; run as the user who owns the folder.',
      { cause: error },
    );
  }
}
