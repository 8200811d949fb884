/** What a sweep does to a folder. At once, not awaited: sweeps run before there is anybody to wait for them. */

import { readdirSync, statSync, unlinkSync } from 'node:fs';
import { systemCode } from './disk.ts';

export function namesNow(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** By the clock of the file system. Null when there is no such file. */
export function modifiedAtMs(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null;
}

/** False when another process removed it at the same moment. */
export function removeNow(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}
