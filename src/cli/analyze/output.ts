/** Standard output as a run writes it: no faster than it is read, so that a slow reader never makes a queue here. */

import { once } from 'node:events';

/** @throws {NodeJS.ErrnoException} what the system says: a disk that is full. */
export async function writeOut(text: string): Promise<void> {
  if (text !== '' && !process.stdout.write(text)) await once(process.stdout, 'drain');
}
