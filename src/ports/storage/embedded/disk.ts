/** The file system as the store uses it, and the one place where its errors become ours. */

import { readdirSync, statSync, unlinkSync } from 'node:fs';
import type * as promises from 'node:fs/promises';
import { ForensicsError } from '../../../errors.ts';
import { isFull } from '../../files/system-errors.ts';

export type FileSystem = Pick<
  typeof promises,
  'link' | 'mkdir' | 'open' | 'readdir' | 'rename' | 'stat' | 'unlink'
>;

/** @throws {ForensicsError} `no_space_left` or `store_unavailable` in the place of any error of the file system. */
export async function onDisk<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw toStoreError(error);
  }
}

/** The same for the few acts that happen before anything can be awaited. */
export function onDiskSync<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw toStoreError(error);
  }
}

/** The error's code such as `ENOENT`; an empty text for what is no error of the system. */
export function systemCode(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}

/** What `act` gives, or null when there is no such file. */
export async function nullIfMissing<T>(act: () => Promise<T>): Promise<T | null> {
  try {
    return await act();
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Names that are ours: people and systems leave other files in folders. */
export async function namesIn(fs: FileSystem, folder: string, pattern: RegExp): Promise<string[]> {
  const names = await nullIfMissing(() => fs.readdir(folder));
  return (names ?? []).filter((name) => pattern.test(name));
}

/** Synchronous: the sweep runs at start, before any caller could await it. */
export function namesInSync(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** By the clock of the file system. Null when there is no such file. */
export function modifiedAtMs(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null;
}

/** False when another process removed it at the same moment. */
export function removeSync(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}

function toStoreError(error: unknown): unknown {
  const code = systemCode(error);
  if (code === '' || error instanceof ForensicsError) return error;
  if (isFull(code)) {
    const message = 'The blob store has no space left; free some and try again.';
    return new ForensicsError('no_space_left', message, { cause: error });
  }
  const message = `The folder of the blob store cannot be used (${code}); check its disk and its owner.`;
  return new ForensicsError('store_unavailable', message, { cause: error });
}
