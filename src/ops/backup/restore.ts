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
import { parseKey } from '../../service/secrets/master-key.ts';
import { deriveSecrets } from '../../service/secrets/secrets.ts';
import { readArchive } from './archive-reader.ts';
import { checkBackup, embeddedObjects, idFrom } from './backup.ts';
import { belongs, type Manifest, names, readKeys, toDiskError } from './contents.ts';
import { isDamaged, judge, type Verified, type VerifyOptions } from './verify.ts';

type Target = Pick<Settings, 'dataDir' | 'masterKey'>;
type RestoreRequest = Pick<RestoreOptions, 'file' | 'mayReplace' | 'keysDir' | 'now'> & {
  readonly onProgress: NonNullable<VerifyOptions['onProgress']>;
};

/** @throws {ForensicsError} as `restoreBackup` does; `conflict` while a server works there; `config_invalid`. */
export async function restore(target: Target, request: RestoreRequest): Promise<Restored> {
  const { dataDir } = target;
  assertOwnFolder(dataDir);
  const isNew = !existsSync(dataDir);
  makeDataFolder(dataDir);
  const unlock = lockForServing(dataDir);
  let isDone = false;
  try {
    const keys = keysFromSettings(target);
    const restored = await restoreBackup({
      ...request,
      dataDir,
      keys,
      listObjects: embeddedObjects,
    });
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
    checkTarget({ dataDir, mayReplace: request.mayReplace });
    lockForServing(dataDir)();
  }
  const verified = await checkBackup(request.file, request.onProgress);
  const { manifest, problems } = verified;
  if (manifest === null || problems.length > 0) throw isDamaged(problems);
  if (manifest.holdsKeys && request.keysDir !== null) throw needsNoKeys();
  if (manifest.masterKey.place !== 'here') {
    const ofFiles = request.keysDir === null ? [] : await masterKeysIn(request.keysDir);
    checkMasterKey(manifest, { ...keysFromSettings(target), ofFiles });
  }
  return { ...verified, manifest, aside: null };
}

function keysFromSettings({ masterKey }: Target): Omit<Keys, 'ofFiles'> {
  return {
    ofSettings: masterKey === null ? null : Buffer.from(masterKey, 'hex'),
    parse: parseKey,
    identify: (key) => idFrom(deriveSecrets(key).of('backup/key')),
  };
}

/** Files that we make would be ours, and the server could not read them. */
function assertOwnFolder(dataDir: string): void {
  if (!isOfAnother(dataDir)) return;
  throw new ForensicsError(
    'config_invalid',
    'The data folder belongs to another user; restore as that user: sudo -u <user> forensics restore ...',
  );
}

export interface RestoreOptions extends VerifyOptions {
  readonly file: string;
  /** There, and locked against servers and other restores. */
  readonly dataDir: string;
  /** Whether what it holds may be set aside. */
  readonly mayReplace: boolean;
  /** A folder with the keys of a backup without them. */
  readonly keysDir: string | null;
  readonly keys: Omit<Keys, 'ofFiles'>;
  readonly now: () => Date;
}

export interface Restored extends Verified {
  readonly manifest: Manifest;
  /** Name of the folder in the data folder that holds what was there before; null for nothing. */
  readonly aside: string | null;
}

/**
 * @throws {ForensicsError} `conflict` when the folder holds something that may not be replaced or is in use; `backup_damaged`,
 *   `backup_unreadable`, `schema_newer`, `no_space_left`, `output_not_writable`, `usage` for missing keys.
 */
export async function restoreBackup(parts: RestoreOptions): Promise<Restored> {
  const { file, dataDir, now } = parts;
  checkTarget(parts);
  const staging = makeStaging(dataDir, now());
  try {
    await requireFreeSpace(dataDir, (await stat(file).catch(() => null))?.size ?? 0);
    const verified = await unpack(parts, staging);
    // Another process may have opened the folder in the meantime.
    checkTarget(parts);
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
function checkTarget({
  dataDir,
  mayReplace,
}: Pick<RestoreOptions, 'dataDir' | 'mayReplace'>): void {
  if (contentOf(dataDir).length === 0) return;
  if (!mayReplace) {
    throw new ForensicsError(
      'conflict',
      'The data folder is not empty; choose an empty or a new one with --data-dir, or add --force to set aside what it holds.',
    );
  }
  assertNotInUse(join(dataDir, names.database));
}

async function unpack(parts: RestoreOptions, staging: string) {
  const { file, keysDir, keys, listObjects, onProgress } = parts;
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
    ...(onProgress === undefined ? {} : { onProgress }),
  });
  const verified = await judge(archive, join(staging, names.database), { listObjects });
  const { manifest, problems } = verified;
  if (manifest === null || problems.length > 0) throw isDamaged(problems);
  if (keysDir !== null) {
    if (manifest.holdsKeys) throw needsNoKeys();
    for (const [name, content] of await readKeys(keysDir)) {
      await writeFile(await place(name), content, { mode: 0o600, flag: 'wx', flush: true });
    }
  }
  checkMasterKey(manifest, { ...keys, ofFiles: await masterKeysIn(staging) });
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

interface Keys {
  /** The value in the settings; null when they leave it to a file. Where they name one, no file counts. */
  readonly ofSettings: Buffer | null;
  /** Contents of `master.key` and of the one that is about to take its place. */
  readonly ofFiles: readonly string[];
  /** Null for a text that holds no key. */
  readonly parse: (text: string) => Buffer | null;
  /** As the manifest has it. */
  readonly identify: (key: Buffer) => string;
}

/** @throws {ForensicsError} `config_invalid`, `usage`; the message names the source of the right key. */
function checkMasterKey({ masterKey }: Pick<Manifest, 'masterKey'>, keys: Keys): void {
  const { ofSettings, ofFiles, parse, identify } = keys;
  const isRight = (key: Buffer | null) => key !== null && identify(key) === masterKey.id;
  if (ofSettings !== null) {
    if (isRight(ofSettings)) return;
    throw new ForensicsError(
      'config_invalid',
      'FORENSICS_MASTER_KEY (or masterKey in the config file) is not the master key of this backup; take it away, or set it to the key of that time.',
    );
  }
  if (ofFiles.some((text) => isRight(parse(text)))) return;
  throw new ForensicsError('usage', advice[masterKey.place]);
}

const advice: Readonly<Record<Manifest['masterKey']['place'], string>> = {
  here: 'The master key in this backup is not the one of its database; take another backup.',
  apart:
    'The backup was made without keys: name the folder with the copy of master.key, signing-keys and tls of that time with --keys.',
  environment:
    'The master key was in the environment of that server: set FORENSICS_MASTER_KEY to it, and keep it set for the server.',
};
