/** The config file: one JSON object whose members are names of settings. What they may be is not its matter. */

import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ForensicsError } from '../errors.ts';

export interface ConfigFile {
  /** Absolute; null when there is none. */
  readonly path: string | null;
  readonly values: Readonly<Record<string, unknown>>;
}

/**
 * The members of the file; none when it is not there and need not be.
 *
 * @param how.known - names that may stand in it; another one is a slip of the pen and refused.
 * @throws {ForensicsError} `config_invalid`.
 */
export function readConfigFile(
  file: string,
  how: { readonly mustExist: boolean; readonly known: readonly string[] },
): ConfigFile {
  if (!how.mustExist && !existsSync(file)) return { path: null, values: {} };
  const values = parse(read(file));
  const stranger = Object.keys(values).find((name) => !how.known.includes(name));
  if (stranger === undefined) return { path: resolve(file), values };
  throw new ForensicsError(
    'config_invalid',
    `The config file holds an unknown setting "${stranger}"; known are ${how.known.join(', ')}.`,
  );
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const message = existsSync(file)
      ? 'The config file cannot be read.'
      : 'The config file does not exist.';
    throw new ForensicsError('config_invalid', message, { cause: error });
  }
}

function parse(text: string): Readonly<Record<string, unknown>> {
  let values: unknown;
  try {
    values = JSON.parse(text);
  } catch {
    // Without its cause: the parser's message quotes the text, and the text may hold secrets.
    throw new ForensicsError('config_invalid', 'The config file is not valid JSON.');
  }
  if (isObject(values)) return values;
  throw new ForensicsError('config_invalid', 'The config file must hold one JSON object.');
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
