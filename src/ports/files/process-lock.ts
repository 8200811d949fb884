/**
 * One process at a time. A lock is a file that names the process that holds it; one whose process is gone, after a
 * crash or a power cut, is taken over.
 */

import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { systemCodeOf } from './system-errors.ts';

/** Takes the lock and returns the way to give it back; null while another running process holds it. */
export function takeLock(file: string): (() => void) | null {
  const mine = describe(process.pid);
  // Two rounds are enough: a stale lock is set aside in the first.
  if (!take(file, mine)) {
    setAsideIfStale(file);
    if (!take(file, mine)) return null;
  }
  return () => {
    if (read(file) === mine) rmSync(file, { force: true });
  };
}

/** Number of the process that holds the lock; null when it is free. */
export function holderOf(file: string): number | null {
  const holder = read(file);
  return holder === null ? null : Number.parseInt(holder, 10);
}

/** Whether a process that runs holds the lock. */
export function isHeld(file: string): boolean {
  const holder = read(file);
  return holder !== null && holder === describe(Number.parseInt(holder, 10));
}

/** A link, not an exclusive open: readers of the lock see all of it. */
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
  // Another process may have moved it just now: the next round finds the new owner.
  if (!isRenamed(file, aside)) return;
  // Or another process may have taken over the stale lock between the check and the rename: then put theirs back.
  if (read(aside) !== holder) linkSync(aside, file);
  rmSync(aside, { force: true });
}

/** False when there is no such file. */
function isRenamed(file: string, to: string): boolean {
  try {
    renameSync(file, to);
    return true;
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Process number and start time. Numbers are used again, in containers even always the same one. */
function describe(pid: number): string {
  return `${pid} ${startOf(pid)}\n`;
}

/** Clock ticks from boot to the start of the process where the system reports them; otherwise only whether it lives. */
function startOf(pid: number): string {
  const stat = read(`/proc/${pid}/stat`);
  // The second field is a name in brackets, which may contain spaces and brackets itself (proc(5)).
  if (stat !== null) return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? 'alive';
  return process.platform === 'linux' || !isAlive(pid) ? 'gone' : 'alive';
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // There is such a process, only not one of ours.
    return systemCodeOf(error) === 'EPERM';
  }
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    // What /proc shows ends with its process, also while it is read.
    if (['ENOENT', 'ESRCH'].includes(systemCodeOf(error) ?? '')) return null;
    throw error;
  }
}
