/** Names of files that are still being written, and the sweep of those whose writer is gone. */

import { createHash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { systemCode } from './disk.ts';
import { modifiedAtMs, namesNow, removeNow } from './sweeping.ts';

/** Far longer than any upload is allowed to be silent: such a file has no writer, whatever its name says. */
const abandonedAfterMs = 3_600_000;
const namePattern = /^([0-9a-f]{8})-(\d{1,9})-[0-9a-f]{24}\.part$/;

/** `<host>-<process>-<random>.part`: says whose file it is, so that a sweep spares what is alive. */
export function incomingName(): string {
  return `${hostTag()}-${process.pid}-${randomBytes(12).toString('hex')}.part`;
}

/** Removes what writers that no longer exist left behind. @returns how many files were removed. */
export function sweepIncoming(folder: string): number {
  return namesNow(folder).filter(
    (name) => isLeftover(folder, name) && removeNow(join(folder, name)),
  ).length;
}

function isLeftover(folder: string, name: string): boolean {
  const touchedAt = modifiedAtMs(join(folder, name));
  const owner = namePattern.exec(name);
  // A file of another name is not ours to remove.
  if (touchedAt === null || owner === null) return false;
  // The file system's times are those of the real clock, whatever clock the store was given.
  if (Date.now() - touchedAt > abandonedAfterMs) return true;
  // Another machine on the same folder: only time can tell.
  if (owner[1] !== hostTag()) return false;
  const pid = Number(owner[2]);
  if (pid !== process.pid) return !isAlive(pid);
  // Our own number: an earlier process had it if the file is older than we are.
  return touchedAt < Date.now() - process.uptime() * 1000;
}

function hostTag(): string {
  return createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, under another user.
    return systemCode(error) === 'EPERM';
  }
}
