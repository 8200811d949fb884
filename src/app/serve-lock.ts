/** One server a data folder. */

import { join } from 'node:path';
import { ForensicsError } from '../errors.ts';
import { holderOf, takeLock } from './process-lock.ts';

/**
 * Takes the lock and returns the way to give it back.
 *
 * @throws {ForensicsError} `conflict` when another running process holds it.
 */
export function lockForServing(dataDir: string): () => void {
  const file = join(dataDir, 'serve.lock');
  const release = takeLock(file);
  if (release !== null) return release;
  const holder = holderOf(file);
  const who = holder === null ? '' : ` (process ${holder})`;
  throw new ForensicsError(
    'conflict',
    `Another server already works on this data folder${who}; stop it, or choose another folder with --data-dir.`,
  );
}
