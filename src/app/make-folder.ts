import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder that a person named, and its parents where they are missing. A folder that exists stays as it is.
 *
 * Not `mkdir` with `recursive`: where the file system refuses a new entry with ENOENT, as /proc does, Node.js 24 tries
 * for ever.
 *
 * @throws the error of the file system, with its `code`.
 */
export function makeFolder(path: string, mode = 0o777): void {
  if (isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Somebody else may have made it in between.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
