/** The folder of an entire installation, accessible only to its owner, and its lock, which allows only one server. */

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

/**
 * Returns a function that releases the lock, a file that names its holder; if that process is gone, after a crash or a
 * power cut, the lock is taken over.
 *
 * @throws {ForensicsError} `conflict`; `no_space_left`, `config_invalid`.
 */
export function lockForServing(dataDir: string): () => void {
  const file = serveLock(dataDir);
  const mine = describe(process.pid);
  try {
    let isMine = take(file, mine);
    if (!isMine) {
      setAsideIfStale(file);
      isMine = take(file, mine);
    }
    if (isMine) return () => void (read(file) === mine && fs.rmSync(file, { force: true }));
  } catch (error) {
    throw cannotWrite(error);
  }
  const holder = read(file);
  const who = holder === null ? '' : ` (process ${Number.parseInt(holder, 10)})`;
  throw conflict(
    `Another server is already using this data folder${who}; stop it, or choose another folder with --data-dir.`,
  );
}

export function isServed(dataDir: string): boolean {
  return isHeld(serveLock(dataDir));
}

function serveLock(dataDir: string): string {
  return join(dataDir, 'serve.lock');
}

function isHeld(file: string): boolean {
  const holder = read(file);
  return holder !== null && holder === describe(Number.parseInt(holder, 10));
}

/** Uses a link rather than an exclusive open, so that readers always see the complete content. */
function take(file: string, holder: string): boolean {
  const temporary = `${file}.${process.pid}.new`;
  try {
    fs.writeFileSync(temporary, holder, { mode: 0o600 });
    fs.linkSync(temporary, file);
    return true;
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    fs.rmSync(temporary, { force: true });
  }
}

function setAsideIfStale(file: string): void {
  const holder = read(file);
  if (holder === null || isHeld(file)) return;
  const aside = `${file}.${process.pid}.stale`;
  try {
    fs.renameSync(file, aside);
  } catch (error) {
    // Another process may have just moved it; the next attempt finds the new holder.
    if (systemCodeOf(error) === 'ENOENT') return;
    throw error;
  }
  // Between the check and the rename, another process may have taken over the stale lock: if so, restores its lock.
  if (read(aside) !== holder) fs.linkSync(aside, file);
  fs.rmSync(aside, { force: true });
}

/** Process id and start time. Ids are reused, and in containers the same id often occurs again. */
function describe(pid: number): string {
  return `${pid} ${startOf(pid)}\n`;
}

/** Start of the process in clock ticks since boot; if the system does not report it, whether the process is alive. */
function startOf(pid: number): string {
  const stat = read(`/proc/${pid}/stat`);
  // The second field is a name in brackets, and may itself contain spaces and brackets (proc(5)).
  if (stat !== null) return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? 'alive';
  return process.platform === 'linux' || !isAlive(pid) ? 'gone' : 'alive';
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists, but belongs to another user.
    return systemCodeOf(error) === 'EPERM';
  }
}

function read(file: string): string | null {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    // The entry of a process in /proc disappears when the process ends, even while the entry is being read.
    if (['ENOENT', 'ESRCH'].includes(systemCodeOf(error) ?? '')) return null;
    throw error;
  }
}
