import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Paths of all files of all buckets, of finished and of unfinished objects. */
export function filesUnder(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
