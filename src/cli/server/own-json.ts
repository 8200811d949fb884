/** Small JSON files of this user alone, that appear whole or not at all. */

import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Static, TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { makeOwnFolder, replaceFile } from '../../app/write-once.ts';
import { ForensicsError } from '../../errors.ts';

/**
 * What the file holds; null when there is none.
 *
 * @throws {ForensicsError} `config_invalid` when it holds something else than `schema` says.
 */
export function readOwnJson<T extends TSchema>(file: string, schema: T): Static<T> | null {
  const found = parsed(file);
  if (found === undefined) return null;
  if (Value.Check(schema, found)) return found;
  throw unreadable(file);
}

/** @throws {ForensicsError} `output_not_writable`. */
export function writeOwnJson(file: string, value: unknown): void {
  intoOwnFolder(file, () => replaceFile(file, `${JSON.stringify(value, null, 2)}\n`));
}

/** Does what makes a file in a folder of this user. @throws {ForensicsError} `output_not_writable`. */
export function intoOwnFolder<T>(file: string, act: () => T): T {
  try {
    makeOwnFolder(dirname(file));
    return act();
  } catch (error) {
    const message = `${file} cannot be written; see to the rights of its folder, or set XDG_CONFIG_HOME.`;
    throw new ForensicsError('output_not_writable', message, { cause: error });
  }
}

function parsed(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // Without its cause: the parser's message quotes the text, and the text may hold secrets.
    if (!existsSync(file)) return undefined;
    throw unreadable(file);
  }
}

function unreadable(file: string): ForensicsError {
  return new ForensicsError(
    'config_invalid',
    `${file} is damaged or cannot be read; remove it, and log in again.`,
  );
}
