/**
 * The folder that holds everything of one installation, for its owner's eyes alone, and the master key in it, from
 * which every other secret of the program is derived.
 */

import { hkdfSync, randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../config.ts';
import { ForensicsError } from '../errors.ts';
import { makeFolder } from './make-folder.ts';

export interface DataFolder {
  readonly path: string;
  /** 32 bytes. */
  readonly masterKey: Buffer;
  /** True when this call made the master key: nothing was ever sealed with another one. */
  readonly isNew: boolean;
  /** 32 bytes that are the same for the same purpose, and tell nothing about those of another. */
  derive(purpose: string): Buffer;
}

const keyBytes = 32;

/** @throws {ForensicsError} `config_invalid` when the folder cannot be used or its master key is damaged. */
export function openDataFolder(settings: Pick<Settings, 'dataDir' | 'masterKey'>): DataFolder {
  const path = settings.dataDir;
  makeDataFolder(path);
  const { masterKey, isNew } =
    settings.masterKey === null
      ? keptKey(join(path, 'master.key'))
      : { masterKey: Buffer.from(settings.masterKey, 'hex'), isNew: false };
  const derive = (purpose: string): Buffer =>
    Buffer.from(hkdfSync('sha256', masterKey, '', `forensics/${purpose}/1`, keyBytes));
  return { path, masterKey, isNew, derive };
}

function makeDataFolder(path: string): void {
  try {
    makeFolder(path, 0o700);
  } catch (error) {
    throw new ForensicsError(
      'config_invalid',
      'The data folder cannot be made; choose one that you may write to with --data-dir.',
      { cause: error },
    );
  }
}

function keptKey(file: string): { masterKey: Buffer; isNew: boolean } {
  const kept = readKey(file);
  if (kept) return { masterKey: kept, isNew: false };
  const made = randomBytes(keyBytes);
  const isNew = writeOnce(file, `${made.toString('hex')}\n`);
  // Another process may have been first; then its key counts.
  return { masterKey: isNew ? made : (readKey(file) ?? made), isNew };
}

function readKey(file: string): Buffer | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (!existsSync(file)) return null;
    throw new ForensicsError(
      'config_invalid',
      'The master key in the data folder cannot be read; run as the user who owns the folder.',
      { cause: error },
    );
  }
  if (/^[0-9a-f]{64}$/.test(text)) return Buffer.from(text, 'hex');
  throw new ForensicsError(
    'config_invalid',
    'The file master.key in the data folder is damaged; put back a copy of it. Without it no API key of this folder is valid.',
  );
}

/** Writes the whole file or nothing; false when it is there already. */
function writeOnce(file: string, text: string): boolean {
  const temporary = `${file}.${process.pid}.new`;
  try {
    writeFileSync(temporary, text, { mode: 0o600, flush: true });
    linkSync(temporary, file);
    syncFolder(join(file, '..'));
    return true;
  } catch (error) {
    if (existsSync(file)) return false;
    throw new ForensicsError(
      'config_invalid',
      'The data folder cannot be written to; choose another with --data-dir.',
      { cause: error },
    );
  } finally {
    rmSync(temporary, { force: true });
  }
}

// A key that is lost in a power cut makes every digest in the database worthless.
function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
