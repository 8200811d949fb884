/** The file with the store of the whole service. It contains credentials, so no message quotes it. */

import { readFileSync, statSync } from 'node:fs';
import { ForensicsError } from '../../errors.ts';
import type { SharedStore } from '../../ports/storage/shared-store.ts';
import type { SharedConfig } from '../../ports/storage/storage-config.ts';
import { parseDefaultStorage } from './merge-storage.ts';

/** @throws {ForensicsError} `config_invalid`; its message names the mistake. */
export function readDefaultStorage(file: string): SharedConfig {
  const value = parse(read(file));
  try {
    return parseDefaultStorage(value);
  } catch (error) {
    if (error instanceof ForensicsError) throw invalid(`cannot be used: ${error.message}`, error);
    throw error;
  }
}

interface ProofParts {
  readonly shared: Pick<SharedStore, 'prove'>;
  readonly onError: (error: unknown) => void;
}

/**
 * To be called before the first request. A store that refuses the service stops the start, because only people can fix that.
 * One that is down or full is reported to `onError`: after a power cut it may start later than the service, and the database
 * can be read without it.
 *
 * @throws {ForensicsError} `config_invalid`.
 */
export async function proveDefaultStorage(
  file: string,
  { shared, onError }: ProofParts,
): Promise<void> {
  if (isOpenToOthers(file)) {
    onError(invalid('can be read by other users of this machine. Run chmod 600 on it.'));
  }
  try {
    await shared.prove();
  } catch (error) {
    if (!(error instanceof ForensicsError)) throw error;
    if (error.code === 'store_refused')
      throw invalid(`names a store that refuses the service. ${error.message}`, error);
    onError(error);
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw invalid('cannot be read. Check its path and its permissions.', error);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the text, including secrets.
    throw invalid('is not valid JSON.');
  }
}

function isOpenToOthers(file: string): boolean {
  return process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0;
}

function invalid(what: string, cause?: unknown): ForensicsError {
  return new ForensicsError('config_invalid', `The file of defaultStorage ${what}`, { cause });
}
