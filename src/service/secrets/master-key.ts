/**
 * The file that keeps the master key. A new key is first laid beside it and takes its place only when everything was
 * sealed under it: at every moment one of the two files opens the database.
 */

import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../../contract/config.ts';
import {
  databaseFile,
  makeDataFolder,
  assertDatabasePresent,
} from '../../ports/data-folder/data-folder.ts';
import { ForensicsError } from '../../errors.ts';
import { cannotWrite, syncFolder, writeOnce } from '../../ports/files/atomic-write.ts';

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
