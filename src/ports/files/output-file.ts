/** Writes an output file atomically. */

import { randomUUID } from 'node:crypto';
import { access, constants, link, lstat, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ForensicsError } from '../../errors.ts';
import { lacksLinks, systemCodeOf, toOutputFailure } from './system-errors.ts';

interface Force {
  /** Whether an existing file may be replaced. */
  readonly force: boolean;
}

/**
 * Checks the path before the work begins.
 *
 * @throws {ForensicsError} `conflict` if `path` exists and may not be replaced, `output_not_writable` when its folder
 *   is not a folder.
 */
export async function checkFree(path: string, { force }: Force): Promise<void> {
  await access(dirname(resolve(path)), constants.W_OK).catch((error: unknown) => {
    throw toOutputFailure(error);
  });
  const found = await lstat(path).catch(() => null);
  if (found !== null && !(force && found.isFile())) throw alreadyExists(path, force);
}

/**
 * @param bytes - the whole contents, or pieces as they are produced.
 * @throws {ForensicsError} `conflict`, `no_space_left`, `output_not_writable`, and what the pieces throw; nothing is
 *   left behind.
 */
export async function writeWholeFile(
  path: string,
  bytes: Uint8Array | AsyncIterable<Uint8Array>,
  { force }: Force,
): Promise<void> {
  const temporary = join(dirname(path), `.forensics-${randomUUID()}.new`);
  try {
    await writeFile(temporary, bytes, { flag: 'wx', flush: true });
    await putInPlace(temporary, path, { force });
  } catch (error) {
    throw toOutputFailure(error);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Gives a finished file its name; the temporary name may remain as a second link. */
async function putInPlace(temporary: string, path: string, { force }: Force): Promise<void> {
  try {
    if (force) await rename(temporary, path);
    else if (!(await linkUnlessTaken(temporary, path))) throw alreadyExists(path, force);
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') throw alreadyExists(path, force);
    throw toOutputFailure(error);
  }
}

/**
 * Gives a finished file a name that is still free. Uses a link, because a rename would replace what another process
 * wrote in the meantime.
 *
 * @returns false if the name is taken.
 */
export async function linkUnlessTaken(temporary: string, path: string): Promise<boolean> {
  try {
    await link(temporary, path);
    return true;
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return false;
    if (!lacksLinks(systemCodeOf(error))) throw error;
    if ((await lstat(path).catch(() => null)) !== null) return false;
    await rename(temporary, path);
    return true;
  }
}

function alreadyExists(path: string, force: boolean): ForensicsError {
  const what = force ? 'exists and is not a file' : 'already exists; add --force to replace it';
  return new ForensicsError('conflict', `${path} ${what}, or choose another name.`);
}
