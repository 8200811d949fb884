/** The file system as used by the store, and the only place that translates its errors. */

import { readdirSync, unlinkSync } from 'node:fs';
import type * as promises from 'node:fs/promises';
import { ForensicsError } from '../../../errors.ts';
import { isFull, reasonOf, systemCodeOf, unlessMissing } from '../../files/system-errors.ts';

export type FileSystem = Pick<
  typeof promises,
  'mkdir' | 'open' | 'readdir' | 'rename' | 'stat' | 'unlink'
>;

/** @throws {ForensicsError} `no_space_left` or `store_unavailable` for any file system error. */
export async function onDisk<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw toStoreError(error);
  }
}

/** Synchronous version, for the sweep at startup. */
export function onDiskSync<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw toStoreError(error);
  }
}

/** Only names of our own files: users and operating systems leave others in folders. */
export async function namesIn(fs: FileSystem, folder: string, pattern: RegExp): Promise<string[]> {
  const names = await unlessMissing(() => fs.readdir(folder));
  return (names ?? []).filter((name) => pattern.test(name));
}

/** Synchronous, because the sweep runs at startup, before any caller could await it. */
export function namesInSync(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Does nothing if another process removed it at the same moment. */
export function removeSync(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT') throw error;
  }
}

function toStoreError(error: unknown): unknown {
  const code = systemCodeOf(error);
  if (code === null || error instanceof ForensicsError) return error;
  if (isFull(code)) {
    const message = 'The disk that holds the blob store is full. Free some space and try again.';
    return new ForensicsError('no_space_left', message, { cause: error });
  }
  const message = `The folder of the blob store cannot be used (${reasonOf(code)}). Check its disk and its owner.`;
  return new ForensicsError('store_unavailable', message, { cause: error });
}
