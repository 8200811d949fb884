/**
 * A lock that one process at a time can hold. It is a file that identifies its holder; if that process no longer
 * exists, after a crash or a power cut, the lock is taken over.
 */

import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { systemCodeOf } from './system-errors.ts';

/** Takes the lock and returns a function that releases it; null while another running process holds it. */
export function takeLock(file: string): (() => void) | null {
  const mine = describe(process.pid);
  // Two attempts are enough, because the first moves a stale lock out of the way.
  if (!take(file, mine)) {
    setAsideIfStale(file);
    if (!take(file, mine)) return null;
  }
  return () => {
    if (read(file) === mine) rmSync(file, { force: true });
  };
}

export function holderOf(file: string): number | null {
  const holder = read(file);
  return holder === null ? null : Number.parseInt(holder, 10);
}

export function isHeld(file: string): boolean {
  const holder = read(file);
  return holder !== null && holder === describe(Number.parseInt(holder, 10));
}

/** Uses a link rather than an exclusive open, so that readers always see the complete content. */
function take(file: string, holder: string): boolean {
  const temporary = `${file}.${process.pid}.new`;
  try {
    writeFileSync(temporary, holder, { mode: 0o600 });
    linkSync(temporary, file);
    return true;
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

function setAsideIfStale(file: string): void {
  const holder = read(file);
  if (holder === null || isHeld(file)) return;
  const aside = `${file}.${process.pid}.stale`;
  // Another process may have just moved it; the next attempt finds the new holder.
  if (!isRenamed(file, aside)) return;
  // Between the check and the rename, another process may have taken over the stale lock: if so, restores its lock.
  if (read(aside) !== holder) linkSync(aside, file);
  rmSync(aside, { force: true });
}

/** False if there is no such file. */
function isRenamed(file: string, to: string): boolean {
  try {
    renameSync(file, to);
    return true;
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return false;
    throw error;
  }
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
    return readFileSync(file, 'utf8');
  } catch (error) {
    // The entry of a process in /proc disappears when the process ends, even while the entry is being read.
    if (['ENOENT', 'ESRCH'].includes(systemCodeOf(error) ?? '')) return null;
    throw error;
  }
}
