/** The folder that holds everything of one installation, for its owner's eyes alone, and the master key. */

import { finishPlacing, isHalfPlaced } from '../backup/swap-folders.ts';
import type { Settings } from '../config.ts';
import { ForensicsError } from '../errors.ts';
import { createKeyFile, type KeyFile } from './key-file.ts';
import { makeFolder } from './make-folder.ts';
import { lockForServing } from './serve-lock.ts';

export interface DataFolder {
  readonly path: string;
  /** 32 bytes. */
  readonly masterKey: Buffer;
  /** Null when the settings hold the master key. */
  readonly keyFile: KeyFile | null;
}

/** @throws {ForensicsError} `config_invalid` when the folder cannot be used or its master key is damaged. */
export function openDataFolder({
  dataDir: path,
  masterKey,
}: Pick<Settings, 'dataDir' | 'masterKey'>): DataFolder {
  makeDataFolder(path);
  if (masterKey !== null) {
    return { path, masterKey: Buffer.from(masterKey, 'hex'), keyFile: null };
  }
  const keyFile = createKeyFile(path);
  return { path, masterKey: keyFile.read(), keyFile };
}

/** The folder alone. @throws {ForensicsError} `config_invalid` when it cannot be made. */
export function makeDataFolder(path: string): void {
  try {
    makeFolder(path, 0o700);
  } catch (error) {
    throw new ForensicsError(
      'config_invalid',
      'The data folder cannot be made; choose one that you may write to with --data-dir.',
      { cause: error },
    );
  }
  finishRestore(path);
}

/** Ends a restore that was cut off. @throws {ForensicsError} `conflict` while that is still at work. */
export function finishRestore(path: string): void {
  if (!isHalfPlaced(path)) return;
  const unlock = lockForServing(path);
  try {
    if (isHalfPlaced(path)) finishPlacing(path);
  } finally {
    unlock();
  }
}
