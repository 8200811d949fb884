/** A separate disk in memory, which can be filled to the last byte. */

import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';

/** @returns false if this user may not mount one. */
export function mount(folder: string, how: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', how, 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Also removes the folder. */
export function unmount(folder: string): void {
  execFileSync('umount', ['--lazy', folder]);
  rmSync(folder, { recursive: true, force: true });
}

/** To the last byte. */
export function fill(file: string): void {
  const to = openSync(file, 'w');
  for (let bytes = 1 << 20; bytes >= 1; bytes >>= 2) {
    const piece = Buffer.alloc(bytes, 1);
    try {
      for (;;) writeSync(to, piece);
    } catch {
      // No room for a piece of this size.
    }
  }
  closeSync(to);
}
