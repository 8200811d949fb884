/**
 * What a backup consists of: the database, the files beside it by their path in the data folder, keys where they are wanted,
 * and the manifest, which is its last but one entry; the last one is the manifest's SHA-256.
 */

import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { and, asc, count as countOf, eq, gt, isNull } from 'drizzle-orm';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { databaseName } from '../../ports/data-folder/data-folder.ts';
import type { Db } from '../../ports/db/database.ts';
import { analyses, examinations, storageConfigs } from '../../ports/db/schema.ts';
import { bucketName, objectPath } from '../../ports/storage/embedded/buckets.ts';
import { outputKeys, parseRendered } from '../../service/analyses/examination-row.ts';
import type { Secrets } from '../../service/secrets/secrets.ts';
import { ForensicsError } from '../../errors.ts';
import { isFull, reasonOf, systemCodeOf, unlessMissing } from '../../ports/files/system-errors.ts';

const count = Type.Integer({ minimum: 0 });
const sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });

const schema = Type.Object({
  format: Type.Literal(1),
  /** The version of the program that made it. */
  program: Type.String(),
  /** ISO 8601. */
  createdAt: Type.String(),
  /** Version of the database's schema. */
  schema: count,
  /** Whether keys and certificates are in it, apart from a master key in the settings. */
  holdsKeys: Type.Boolean(),
  masterKey: Type.Object({
    /** `here`: in this backup; `apart`: left out on purpose; `environment`: it was in the settings. */
    place: Type.Union([Type.Literal('here'), Type.Literal('apart'), Type.Literal('environment')]),
    /** Derived from the key: shows whether another one is the same, and nothing else. */
    id: Type.String({ pattern: '^[0-9a-f]{16}$' }),
  }),
  /** The settings of the server that differ from the defaults, fit to be shown; secrets are replaced. */
  settings: Type.Record(Type.String(), Type.Unknown()),
  /** By table. */
  rows: Type.Record(Type.String(), count),
  /** Of everything but the list of hashes and this. */
  files: count,
  bytes: count,
  /** SHA-256 of the list of hashes. */
  sums: sha256,
  /** Objects that a row names and that were not in the store, such as those that a client has yet to upload. */
  absent: Type.Array(Type.Object({ path: Type.String(), isEvidence: Type.Boolean() })),
  /** Stores of others, whose objects are not in the backup. */
  elsewhere: Type.Array(
    Type.Object({ type: Type.String(), place: Type.String(), analyses: count }),
  ),
});

export type Manifest = Static<typeof schema>;

export const names = {
  database: databaseName,
  sums: 'SHA256SUMS',
  manifest: 'manifest.json',
  manifestSum: 'manifest.json.sha256',
} as const;

export function manifestText(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** Null when it is none. */
export function parseManifest(text: string): Manifest | null {
  try {
    const value: unknown = JSON.parse(text);
    return Value.Check(schema, value) ? value : null;
  } catch {
    return null;
  }
}

/** A line as `sha256sum` writes it, so that it can check an unpacked backup. */
export function sumLine(sha256Hex: string, name: string): string {
  return `${sha256Hex}  ${name}\n`;
}

/** An object of the embedded store that a row names. */
export interface NamedObject {
  /** Path of its file in the data folder, parted by slashes. */
  readonly path: string;
  /** The copy that was examined; it must not be deleted. */
  readonly isEvidence: boolean;
}

const keyFiles = ['master.key', 'master.key.next'];
const keyFolders = ['signing-keys', 'tls'];
/** Files that are made once and are not read together. */
const plainFolders = ['validations', 'trial', 'models'];
const objectPattern = /^blobs\/b-[0-9a-f]{24}\/objects\/[0-9a-f]{2}\/[0-9a-f]{64}$/;
/** Of a process that writes a file under another name first, and of a model on its way in. */
const unfinished = /\.\d+\.(?:new|stale)$|(?:^|\/)\.adding-/;
// Rotations take milliseconds: five of them in a row have another cause.
const readings = 5;

/** Whether a name in an archive is one that a backup has. Nothing else is ever written to a data folder. */
export function belongs(name: string): boolean {
  if (name === names.database || keyFiles.includes(name) || objectPattern.test(name)) return true;
  const [folder = '', ...parts] = name.split('/');
  if (![...keyFolders, ...plainFolders].includes(folder) || parts.length === 0) return false;
  return parts.every(
    (part) => part !== '' && part !== '.' && part !== '..' && !/[\\\0]/.test(part),
  );
}

/**
 * Keys and certificates. Files that are replaced one after the other must be read as one: they are read until two
 * readings agree.
 *
 * @throws {ForensicsError} `conflict` when they do not come to rest.
 */
export async function readKeys(dataDir: string): Promise<ReadonlyMap<string, Buffer>> {
  let last = await readKeysOnce(dataDir);
  for (let reading = 1; reading < readings; reading++) {
    const next = await readKeysOnce(dataDir);
    if (isDeepStrictEqual(next, last)) return next;
    last = next;
  }
  throw new ForensicsError('conflict', 'The keys are being replaced; try again.');
}

/** Paths of all files of the folders that are copied as they are. */
export async function plainFiles(dataDir: string): Promise<readonly string[]> {
  const found = await Promise.all(plainFolders.map((folder) => filesIn(dataDir, folder)));
  return found.flat();
}

async function readKeysOnce(dataDir: string): Promise<ReadonlyMap<string, Buffer>> {
  const inFolders = await Promise.all(keyFolders.map((folder) => filesIn(dataDir, folder)));
  const found = new Map<string, Buffer>();
  for (const name of [...keyFiles, ...inFolders.flat()]) {
    const content = await unlessMissing(() => readFile(join(dataDir, name)));
    if (content !== null) found.set(name, content);
  }
  return found;
}

async function filesIn(dataDir: string, folder: string): Promise<readonly string[]> {
  const entries = await unlessMissing(() =>
    readdir(join(dataDir, folder), { recursive: true, withFileTypes: true }),
  );
  return (entries ?? [])
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dataDir.length + 1))
    .map((path) => path.split(sep).join('/'))
    .filter((path) => !unfinished.test(path))
    .toSorted();
}

/** Ours pass as they are; `place` is what cannot be written to, as it begins a sentence. */
export function toDiskError(error: unknown, place: string): unknown {
  const code = systemCodeOf(error);
  if (code === null) return error;
  if (isFull(code)) {
    return new ForensicsError('no_space_left', `${place} is full; make room.`, { cause: error });
  }
  return new ForensicsError(
    'output_not_writable',
    `${place} cannot be used (${reasonOf(code)}); choose another, or fix that.`,
    { cause: error },
  );
}

// The texts of the reports stand in the same column as their keys.
const batch = 200;

/** Objects of the embedded store that rows name; also those of analyses that were deleted and wait for their purge. */
export async function* embeddedObjects(db: Db): AsyncGenerator<NamedObject> {
  for (let last = ''; ; ) {
    const rows = await findRows(db, last);
    for (const { tenantId, inputKey, evidenceKey, rendered } of rows) {
      const outputs = rendered === null ? [] : outputKeys(parseRendered(rendered));
      for (const key of [inputKey, ...outputs]) yield named(tenantId, key, false);
      if (evidenceKey !== null) yield named(tenantId, evidenceKey, true);
    }
    if (rows.length < batch) return;
    last = rows.at(-1)!.id;
  }
}

export async function storesElsewhere(db: Db): Promise<Manifest['elsewhere']> {
  return db
    .select({
      type: storageConfigs.type,
      place: storageConfigs.place,
      analyses: countOf(analyses.id),
    })
    .from(storageConfigs)
    .leftJoin(analyses, eq(analyses.storageConfigId, storageConfigs.id))
    .groupBy(storageConfigs.type, storageConfigs.place)
    .orderBy(asc(storageConfigs.place))
    .all();
}

async function findRows(db: Db, after: string) {
  const { id, tenantId, inputKey, evidenceKey } = analyses;
  return db
    .select({ id, tenantId, inputKey, evidenceKey, rendered: examinations.rendered })
    .from(analyses)
    .leftJoin(examinations, eq(examinations.analysisId, id))
    .where(and(gt(id, after), isNull(analyses.storageConfigId)))
    .orderBy(asc(id))
    .limit(batch)
    .all();
}

function named(tenantId: string, key: string, isEvidence: boolean): NamedObject {
  return { path: `blobs/${objectPath(bucketName(tenantId), key)}`, isEvidence };
}

/** Of the master key, as the manifest has it: shows whether another one is the same, and nothing else. */
export function masterKeyId(secrets: Secrets): string {
  return secrets.of('backup/key').toString('hex', 0, 8);
}
