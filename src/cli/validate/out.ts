/** The file of `--out`: looked at before the work begins, and written whole or not at all. */

import { accessSync, constants, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ForensicsError } from '../../errors.ts';
import { systemCodeOf } from '../system-code.ts';

/** @throws {ForensicsError} `conflict` when the file exists and may not be replaced, `output_not_writable`. */
export function checkOut(file: string, { force }: { readonly force: boolean }): void {
  attempt(() => accessSync(dirname(resolve(file)), constants.W_OK));
  if (existsSync(file) && !force) {
    throw new ForensicsError(
      'conflict',
      `${file} is there already; add --force to replace it, or choose another --out.`,
    );
  }
}

/** @throws {ForensicsError} `output_not_writable`. */
export function writeOut(file: string, document: object): void {
  const temporary = `${file}.${process.pid}.new`;
  try {
    attempt(() => {
      writeFileSync(temporary, `${JSON.stringify(document, null, 2)}\n`, { flush: true });
      renameSync(temporary, file);
    });
  } finally {
    rmSync(temporary, { force: true });
  }
}

function attempt(act: () => void): void {
  try {
    act();
  } catch (cause) {
    throw new ForensicsError(
      'output_not_writable',
      `The file of --out cannot be written (${systemCodeOf(cause) ?? 'unknown'}); choose another.`,
      { cause },
    );
  }
}
