/** What must not outlive the program, also where it ends at once: a reader of its output that went away. */

import { rmSync } from 'node:fs';

const paths = new Set<string>();

/** @returns how to forget `path` again, once it is gone or in its place. */
export function removeAtExit(path: string): () => void {
  // Once for all of them: a listener each would be too many.
  if (paths.size === 0) process.once('exit', removeAll);
  paths.add(path);
  return () => {
    paths.delete(path);
    if (paths.size === 0) process.off('exit', removeAll);
  };
}

function removeAll(): void {
  for (const path of paths) rmSync(path, { recursive: true, force: true });
}
