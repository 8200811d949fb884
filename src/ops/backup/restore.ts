/** Restores an empty data folder through a subfolder. While that exists, no other command opens the data folder. */

import { existsSync, readdirSync, renameSync, rmdirSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { tmpdir } from 'node:os';
import { and, asc, eq, isNotNull, isNull } from 'drizzle-orm';
import { readConfig, type Settings } from '../../contract/config.ts';
import { requireFreeSpace, syncFolder } from '../../ports/files/files.ts';
import {
  belongsToAnotherUser,
  makeOwnFolder,
  modelsFolder,
  restoringFolder,
} from '../../ports/data-folder/data-folder.ts';
import { lockForServing } from '../../ports/data-folder/serve-lock.ts';
import { ForensicsError, configInvalid, conflict, usageError } from '../../contract/errors.ts';
import { deriveSecrets, parseKey } from '../../service/secrets/secrets.ts';
import { defaultSeed } from '../../contract/vocabulary.ts';
import { createSandbox } from '../../examiner/sandbox.ts';
import { analyses } from '../../ports/db/schema.ts';
import { limitsForAccepted } from '../../image/picture.ts';
import { readEvidence } from '../../service/analyses/context.ts';
import { type Core, openCore } from '../../service/core.ts';
import { openBlobs } from '../../service/storage.ts';
import { readArchive, type ReadOptions } from './archive-reader.ts';
import { belongs, type Manifest, masterKeyId, names, readKeys, toDiskError } from './contents.ts';
import { isDamaged, judge, type Verified } from './verify.ts';

type Target = Pick<Settings, 'dataDir' | 'masterKey'>;

interface RestoreRequest {
  readonly file: string;
  readonly keysDir: string | null;
  readonly onProgress?: ReadOptions['onProgress'];
}

type Restored = Verified & { readonly manifest: Manifest };

/**
 * @throws {ForensicsError} `conflict` if the folder is not empty or in use; `backup_damaged`, `backup_unreadable`, `schema_newer`, `no_space_left`, `output_not_writable`, `usage` for missing
 *   keys, `config_invalid`.
 */
export async function restore(target: Target, request: RestoreRequest): Promise<Restored> {
  const { dataDir } = target;
  // Another user's server could not read the restored files, because they would belong to us.
  if (belongsToAnotherUser(dataDir)) {
    const message =
      'The data folder belongs to another user; run the restore as that user: sudo -u <user> forensics restore ...';
    throw new ForensicsError('file_not_readable', message);
  }
  const isNew = !existsSync(dataDir);
  makeOwnFolder(dataDir);
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

async function restoreLocked(target: Target, request: RestoreRequest): Promise<Restored> {
  const { dataDir } = target;
  const staging = restoringFolder(dataDir);
  // Files unpacked by an interrupted restore do not count, because the next restore starts again.
  const content = readdirSync(dataDir).filter(
    (name) => name !== 'lost+found' && !name.startsWith('serve.lock') && name !== basename(staging),
  );
  if (content.length > 0) {
    throw conflict('The data folder is not empty; choose an empty or new one with --data-dir.');
  }
  let isPlacing = false;
  try {
    await rm(staging, { recursive: true, force: true });
    await mkdir(staging, { mode: 0o700 });
    await requireFreeSpace(dataDir, (await stat(request.file).catch(() => null))?.size ?? 0);
    const verified = await unpack(target, request, staging);
    isPlacing = true;
    for (const name of readdirSync(staging)) renameSync(join(staging, name), join(dataDir, name));
    syncFolder(dataDir);
    rmdirSync(staging);
    syncFolder(dataDir);
    return verified;
  } catch (error) {
    if (!isPlacing) await rm(staging, { recursive: true, force: true });
    throw toDiskError(error, 'The data folder');
  }
}

async function unpack(target: Target, request: RestoreRequest, staging: string) {
  const { file, keysDir, onProgress } = request;
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
    if (manifest.holdsKeys) {
      throw usageError('The backup already contains its keys; leave out --keys.');
    }
    for (const [name, content] of await readKeys(keysDir)) {
      await writeFile(await place(name), content, { mode: 0o600, flag: 'wx', flush: true });
    }
  }
  await checkMasterKey(manifest, target, staging);
  for (const folder of folders) syncFolder(folder);
  return { ...verified, manifest };
}

/** A master key in the settings takes precedence over any file. */
async function checkMasterKey(
  { masterKey: { id, place } }: Manifest,
  { masterKey: ofSettings }: Target,
  folder: string,
): Promise<void> {
  const isRight = (text: string) => {
    const key = parseKey(text);
    return key !== null && masterKeyId(deriveSecrets(key)) === id;
  };
  if (ofSettings !== null) {
    if (isRight(ofSettings)) return;
    throw configInvalid(
      'FORENSICS_MASTER_KEY (or masterKey in the config file) is not the master key of this backup; remove it, or set it to the key used when the backup was made.',
    );
  }
  // The current file, and the one that is about to replace it.
  const files = ['master.key', 'master.key.next'].map((name) => join(folder, name));
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  if (texts.some(isRight)) return;
  throw usageError(advice[place]);
}

const advice: Readonly<Record<Manifest['masterKey']['place'], string>> = {
  here: 'The master key in this backup does not open its database; use another backup.',
  apart:
    'The backup was made without keys; use --keys to specify the folder with the copies of master.key, signing-keys and tls from that time.',
  environment:
    'That server had its master key in the environment; set FORENSICS_MASTER_KEY to it, and keep it set for the server.',
};

/** The analysis whose original was examined, and the verdict; null if the backup contains no original. */
export type Rehearsal = { readonly analysisId: string; readonly verdict: string } | null;

/** Whether all keys that a restored service needs are available. */
export function canRehearse({ holdsKeys, masterKey: { place } }: Manifest): boolean {
  return holdsKeys && (place === 'here' || process.env[masterKeyVariable] !== undefined);
}

const masterKeyVariable = 'FORENSICS_MASTER_KEY';

/**
 * Tests a backup: restores it to a temporary folder (in `TMPDIR`), which takes as much space as the backup, opens that
 * as a server would, and examines a picture in it.
 *
 * @throws {ForensicsError} as `restore` and as an examination does; `evidence_damaged`.
 */
export async function rehearse(
  file: string,
  { masterKey: { place } }: Manifest,
  onProgress?: ReadOptions['onProgress'],
): Promise<Rehearsal> {
  const scratch = await mkdtemp(join(tmpdir(), 'forensics-rehearsal-'));
  try {
    const masterKey = place === 'here' ? undefined : process.env[masterKeyVariable];
    const { settings } = readConfig({
      flags: { dataDir: join(scratch, 'data'), intake: 'everything' },
      environment: { XDG_CONFIG_HOME: scratch, [masterKeyVariable]: masterKey },
    });
    await restore(settings, { file, keysDir: null, ...(onProgress && { onProgress }) });
    const core = await openCore(settings);
    try {
      return await examineOne(core, settings);
    } finally {
      await core.close();
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

const maxLookedFor = 100;

async function examineOne(core: Core, settings: Settings): Promise<Rehearsal> {
  const { storageConfigId, evidenceKey, status, id } = analyses;
  const rows = await core.database.db
    .select()
    .from(analyses)
    .where(and(isNull(storageConfigId), isNotNull(evidenceKey), eq(status, 'completed')))
    .orderBy(asc(id))
    .limit(maxLookedFor)
    .all();
  const { stores } = openBlobs({ settings, core, now: core.now, onError: () => undefined });
  for (const row of rows) {
    const store = await stores.of(row);
    // A purge may have deleted the original while the backup was being made.
    if ((await store.head(row.evidenceKey!)) === null) continue;
    const limits = limitsForAccepted(settings);
    const bytes = await readEvidence({ limits }, { row, store });
    const sandbox = createSandbox({ poolSize: 1, modelsDir: modelsFolder(settings), limits });
    try {
      const options = { model: null, decisionStrategy: 'default', seed: defaultSeed } as const;
      const { decision } = await sandbox.examine({ source: { bytes }, options });
      return { analysisId: row.id, verdict: decision.resultClass };
    } finally {
      await sandbox.close();
    }
  }
  return null;
}
