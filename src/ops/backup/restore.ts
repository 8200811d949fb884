/**
 * A data folder from a backup. Everything is unpacked beside what is there, checked, and only then put in its place; a cut at
 * any moment leaves what was there, or all of the new. Nothing is deleted: the former content of a data folder is set aside.
 */

import { existsSync, readdirSync, rmdirSync, statSync } from 'node:fs';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Settings } from '../../contract/config.ts';
import { requireFreeSpace } from '../../ports/files/free-space.ts';
import {
  isOfAnother,
  lockForServing,
  makeDataFolder,
} from '../../ports/data-folder/data-folder.ts';
import {
  contentOf,
  isHalfPlaced,
  makeStaging,
  putInPlace,
} from '../../ports/data-folder/swap-folders.ts';
import { assertNotInUse } from '../../ports/db/sqlite.ts';
import { ForensicsError } from '../../errors.ts';
import { syncFolder } from '../../ports/files/atomic-write.ts';
import { deriveSecrets, parseKey } from '../../service/secrets/secrets.ts';
import { readArchive, type ReadOptions } from './archive-reader.ts';
import { belongs, type Manifest, masterKeyId, names, readKeys, toDiskError } from './contents.ts';
import { isDamaged, judge, type Verified, verifyBackup } from './verify.ts';

type Target = Pick<Settings, 'dataDir' | 'masterKey'>;

interface RestoreRequest {
  readonly file: string;
  /** Whether what the data folder holds may be set aside. */
  readonly mayReplace: boolean;
  /** A folder with the keys of a backup without them. */
  readonly keysDir: string | null;
  readonly now: () => Date;
  readonly onProgress?: ReadOptions['onProgress'];
}

interface Restored extends Verified {
  readonly manifest: Manifest;
  /** Name of the folder in the data folder that holds what was there before; null for nothing. */
  readonly aside: string | null;
}

/**
 * @throws {ForensicsError} `conflict` when the folder holds something that may not be replaced or is in use; `backup_damaged`,
 *   `backup_unreadable`, `schema_newer`, `no_space_left`, `output_not_writable`, `usage` for missing keys, `config_invalid`.
 */
export async function restore(target: Target, request: RestoreRequest): Promise<Restored> {
  const { dataDir } = target;
  assertOwnFolder(dataDir);
  const isNew = !existsSync(dataDir);
  makeDataFolder(dataDir);
  const unlock = lockForServing(dataDir);
  let isDone = false;
  try {
    const restored = await restoreLocked(target, request);
    isDone = true;
    return restored;
  } finally {
    unlock();
    if (isNew && !isDone && readdirSync(dataDir).length === 0) rmdirSync(dataDir);
  }
}

/** The same, as far as a dry run can tell. */
export async function tryRestore(target: Target, request: RestoreRequest): Promise<Restored> {
  const { dataDir } = target;
  assertOwnFolder(dataDir);
  if (statSync(dataDir, { throwIfNoEntry: false })?.isDirectory()) {
    checkTarget(dataDir, request);
    lockForServing(dataDir)();
  }
  const verified = await verifyBackup(request.file, request.onProgress);
  const { manifest, problems } = verified;
  if (manifest === null || problems.length > 0) throw isDamaged(problems);
  if (manifest.holdsKeys && request.keysDir !== null) throw needsNoKeys();
  if (manifest.masterKey.place !== 'here') {
    const ofFiles = request.keysDir === null ? [] : await masterKeysIn(request.keysDir);
    checkMasterKey(manifest, target, ofFiles);
  }
  return { ...verified, manifest, aside: null };
}

/** Files that we make would be ours, and the server could not read them. */
function assertOwnFolder(dataDir: string): void {
  if (!isOfAnother(dataDir)) return;
  throw new ForensicsError(
    'config_invalid',
    'The data folder belongs to another user; restore as that user: sudo -u <user> forensics restore ...',
  );
}

async function restoreLocked(target: Target, request: RestoreRequest): Promise<Restored> {
  const { dataDir } = target;
  const { file, now } = request;
  checkTarget(dataDir, request);
  const staging = makeStaging(dataDir, now());
  try {
    await requireFreeSpace(dataDir, (await stat(file).catch(() => null))?.size ?? 0);
    const verified = await unpack(target, request, staging);
    // Another process may have opened the folder in the meantime.
    checkTarget(dataDir, request);
    const aside = putInPlace(dataDir, staging, now());
    return { ...verified, aside };
  } catch (error) {
    throw toDiskError(error, 'The data folder');
  } finally {
    // Once it was decided that it counts, it is all there is.
    if (!isHalfPlaced(dataDir)) await rm(staging, { recursive: true, force: true });
  }
}

/** @throws {ForensicsError} `conflict`. */
function checkTarget(dataDir: string, { mayReplace }: Pick<RestoreRequest, 'mayReplace'>): void {
  if (contentOf(dataDir).length === 0) return;
  if (!mayReplace) {
    throw new ForensicsError(
      'conflict',
      'The data folder is not empty; choose an empty or a new one with --data-dir, or add --force to set aside what it holds.',
    );
  }
  assertNotInUse(join(dataDir, names.database));
}

async function unpack(
  target: Target,
  { file, keysDir, onProgress }: RestoreRequest,
  staging: string,
) {
  const folders = new Set([staging]);
  const place = async (name: string): Promise<string> => {
    const path = join(staging, name);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    for (let at = dirname(path); at !== staging; at = dirname(at)) folders.add(at);
    return path;
  };
  const archive = await readArchive(file, {
    pathFor: async (name) => {
      if (!belongs(name)) throw isDamaged([`${name} does not belong in a backup.`]);
      return place(name);
    },
    ...(onProgress && { onProgress }),
  });
  const verified = await judge(archive, join(staging, names.database));
  const { manifest, problems } = verified;
  if (manifest === null || problems.length > 0) throw isDamaged(problems);
  if (keysDir !== null) {
    if (manifest.holdsKeys) throw needsNoKeys();
    for (const [name, content] of await readKeys(keysDir)) {
      await writeFile(await place(name), content, { mode: 0o600, flag: 'wx', flush: true });
    }
  }
  checkMasterKey(manifest, target, await masterKeysIn(staging));
  for (const folder of folders) syncFolder(folder);
  return { ...verified, manifest };
}

/** Texts of the key and of the one that is about to take its place. */
async function masterKeysIn(folder: string): Promise<readonly string[]> {
  const files = ['master.key', 'master.key.next'].map((name) => join(folder, name));
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  return texts.filter((text) => text !== '');
}

function needsNoKeys(): ForensicsError {
  return new ForensicsError('usage', 'The backup holds its keys; leave out --keys.');
}

/**
 * Where the settings have a master key, no file counts.
 *
 * @param ofFiles - contents of `master.key` and of the one that is about to take its place.
 * @throws {ForensicsError} `config_invalid`, `usage`; the message names the source of the right key.
 */
function checkMasterKey(
  { masterKey: { id, place } }: Pick<Manifest, 'masterKey'>,
  { masterKey: ofSettings }: Target,
  ofFiles: readonly string[],
): void {
  const isRight = (text: string) => {
    const key = parseKey(text);
    return key !== null && masterKeyId(deriveSecrets(key)) === id;
  };
  if (ofSettings !== null) {
    if (isRight(ofSettings)) return;
    throw new ForensicsError(
      'config_invalid',
      'FORENSICS_MASTER_KEY (or masterKey in the config file) is not the master key of this backup; take it away, or set it to the key of that time.',
    );
  }
  if (ofFiles.some(isRight)) return;
  throw new ForensicsError('usage', advice[place]);
}

const advice: Readonly<Record<Manifest['masterKey']['place'], string>> = {
  here: 'The master key in this backup is not the one of its database; take another backup.',
  apart:
    'The backup was made without keys: name the folder with the copy of master.key, signing-keys and tls of that time with --keys.',
  environment:
    'The master key was in the environment of that server: set FORENSICS_MASTER_KEY to it, and keep it set for the server.',
};
