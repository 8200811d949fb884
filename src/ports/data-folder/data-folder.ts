/** The folder of an entire installation, accessible only to its owner. */

import * as fs from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../../contract/config.ts';
import { systemCodeOf, cannotWrite, makePrivateFolder } from '../files/files.ts';
import { ForensicsError, conflict } from '../../contract/errors.ts';

export const databaseName = 'forensics.db';

export function databaseFile(dataDir: string): string {
  return join(dataDir, databaseName);
}

/** A new database would invalidate keys and hide analyses. @throws {ForensicsError} `database_damaged`. */
export function assertDatabasePresent(dataDir: string): void {
  const { size = 0 } = fs.statSync(databaseFile(dataDir), { throwIfNoEntry: false }) ?? {};
  if (size > 0 || !wasInUse(dataDir)) return;
  throw new ForensicsError(
    'database_damaged',
    `The database ${databaseName} is missing or empty, although this data folder was in use. Restore a backup with "forensics restore FILE", or choose an empty folder with --data-dir.`,
  );
}

/** A lone, empty blobs folder may be a disk's mount point; a master key or a bucket shows that a server has used it. */
function wasInUse(dataDir: string): boolean {
  const blobs = join(dataDir, 'blobs');
  if (!fs.existsSync(blobs)) return false;
  return (
    fs.existsSync(join(dataDir, 'master.key')) ||
    fs.readdirSync(blobs).some((name) => /^b-[0-9a-f]{24}$/.test(name))
  );
}

/** @throws {ForensicsError} `config_invalid` if it cannot be created; `conflict` if others use it; as `assertWhole`. */
export function makeDataFolder(path: string): void {
  makeOwnFolder(path);
  assertWhole(path);
}

export function makeOwnFolder(path: string): void {
  makePrivateFolder(
    path,
    'The data folder cannot be created; choose one that you can write to with --data-dir.',
  );
  restrictToOwner(path);
}

/** Other tools may have created them open to other users. On Windows, the mode does not show the access rights. */
function restrictToOwner(path: string): void {
  if (process.platform === 'win32') return;
  for (const file of [path, join(path, 'master.key')]) {
    try {
      const mode = fs.statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
      if ((mode & 0o077) === 0) continue;
      if (file === path) assertNotShared(fs.readdirSync(path));
      fs.chmodSync(file, mode & 0o700);
    } catch (cause) {
      if (cause instanceof ForensicsError) throw cause;
      const another = 'or choose another data folder with --data-dir.';
      const advice =
        systemCodeOf(cause) === 'EACCES'
          ? `The data folder belongs to another user; run this as that user, ${another}`
          : `Other users of this machine can read ${file}, and its mode cannot be changed; run chmod go-rwx on it as its owner, ${another}`;
      throw cannotWrite(cause, advice);
    }
  }
}

/** A folder such as /tmp must not be closed to everybody else because somebody gave its name. */
function assertNotShared(names: readonly string[]): void {
  const ours = /^(?:forensics\.db|master\.key|signing-keys|tls)$/;
  const isFree = names.every((name) => /^(?:\..*|lost\+found|blobs|models|trial)$/.test(name));
  if (isFree || names.some((name) => ours.test(name))) return;
  throw conflict(
    'The data folder contains other files and is open to other users; choose an empty or new one with --data-dir, or close this one to them: chmod go-rwx.',
  );
}

/** Inside the data folder, because its parent may belong to another user or be on another disk. */
export function restoringFolder(dataDir: string): string {
  return join(dataDir, '.restoring');
}

/** @throws {ForensicsError} `conflict` while a restore is running, and after one that was interrupted. */
export function assertWhole(dataDir: string): void {
  // Versions up to 0.6 wrote restore.json.
  const marks = [restoringFolder(dataDir), join(dataDir, 'restore.json')];
  if (!marks.some((mark) => fs.existsSync(mark))) return;
  throw conflict(
    'A restore into this data folder is running or was interrupted; if none is running, restore the backup into an empty folder.',
  );
}

export function belongsToAnotherUser(dataDir: string): boolean {
  const owner = fs.statSync(dataDir, { throwIfNoEntry: false })?.uid;
  return process.getuid !== undefined && owner !== undefined && owner !== process.getuid();
}

/** The folder of additional models: the one in the setting, even if missing, or else `models` in the data folder. */
export function modelsFolder(settings: Pick<Settings, 'modelsDir' | 'dataDir'>): string | null {
  const folder = join(settings.dataDir, 'models');
  return settings.modelsDir ?? (fs.existsSync(folder) ? folder : null);
}
