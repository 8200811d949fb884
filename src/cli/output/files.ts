/** Texts that commands are given in files. */

import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { ForensicsError } from '../../errors.ts';
import { systemCodeOf } from '../../ports/files/system-errors.ts';

/**
 * What a file holds, or standard input for `-`. Secrets come so, never from flags: those are seen by everybody on the
 * machine.
 *
 * @throws {ForensicsError} `file_not_found`, `file_not_readable`.
 */
export async function readText(file: string): Promise<string> {
  if (file === '-') return text(process.stdin);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const isMissing = systemCodeOf(error) === 'ENOENT';
    throw new ForensicsError(
      isMissing ? 'file_not_found' : 'file_not_readable',
      `The file ${file} ${isMissing ? 'does not exist' : 'cannot be read'}.`,
      { cause: error },
    );
  }
}

/** A password: files and pipes end it with a line break that is not part of it. @throws as `readText`. */
export async function firstLineOf(file: string): Promise<string> {
  return (await readText(file)).replace(/\r?\n[^]*$/, '');
}
