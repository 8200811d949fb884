/** The file that names the store of the whole service. It holds credentials, so no word of it gets into a message. */

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
 * To be called before the first request. A store that refuses us stops the start, because only people can fix that; one
 * that is down or full is reported to `onError`: after a power cut it may come up later than we do, and what is in the database
 * can be read all the same.
 *
 * @throws {ForensicsError} `config_invalid`.
 */
export async function proveDefaultStorage(
  file: string,
  { shared, onError }: ProofParts,
): Promise<void> {
  if (isOpenToOthers(file)) {
    onError(invalid('can be read by other users of this machine; run chmod 600 on it.'));
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
    throw invalid('cannot be read; check its path and its permissions.', error);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the text, and with it secrets.
    throw invalid('is not valid JSON.');
  }
}

function isOpenToOthers(file: string): boolean {
  return process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0;
}

function invalid(what: string, cause?: unknown): ForensicsError {
  return new ForensicsError('config_invalid', `The file of defaultStorage ${what}`, { cause });
}
