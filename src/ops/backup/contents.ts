/** The contents of a backup: database, files, the keys if requested, the manifest and, last, the manifest's SHA-256. */

import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { and, asc, count as countOf, eq, gt, isNull } from 'drizzle-orm';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { jsonOrNull } from '../../contract/common.ts';
import { databaseName } from '../../ports/data-folder/data-folder.ts';
import type { Db } from '../../ports/db/database.ts';
import { analyses, examinations, storageConfigs } from '../../ports/db/schema.ts';
import { bucketName, objectPath } from '../../ports/storage/embedded/embedded.ts';
import { outputKeys, parseRendered } from '../../service/analyses/examination-row.ts';
import type { Secrets } from '../../service/secrets/secrets.ts';
import { ForensicsError, conflict } from '../../contract/errors.ts';
import { isFull, reasonOf, systemCodeOf, unlessMissing } from '../../ports/files/files.ts';

const count = Type.Integer({ minimum: 0 });
const sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });

const namedObject = Type.Object({
  /** Path of its file in the data folder, with forward slashes. */
  path: Type.String(),
  /** Whether it is the copy that was examined, which nothing may delete. */
  isEvidence: Type.Boolean(),
});

/** An object of the embedded store that a row refers to. */
export type NamedObject = Static<typeof namedObject>;

const schema = Type.Object({
  format: Type.Literal(1),
  program: Type.String(),
  /** ISO 8601. */
  createdAt: Type.String(),
  schema: count,
  /** Whether the backup contains keys and certificates. A master key in the settings does not count. */
  holdsKeys: Type.Boolean(),
  masterKey: Type.Object({
    /** `here`: in this backup; `apart`: left out on request; `environment`: it was in the settings. */
    place: Type.Union([Type.Literal('here'), Type.Literal('apart'), Type.Literal('environment')]),
    /** Derived from the master key: it shows whether two keys are equal, but reveals nothing about them. */
    id: Type.String({ pattern: '^[0-9a-f]{16}$' }),
  }),
  /** The server settings that differ from the defaults, with secrets replaced. */
  settings: Type.Record(Type.String(), Type.Unknown()),
  /** Number of rows by table. */
  rows: Type.Record(Type.String(), count),
  /** Number of files, not counting the hash list and this manifest. */
  files: count,
  bytes: count,
  sums: sha256,
  /** Objects that a row refers to but the store did not have, such as uploads still to come. */
  absent: Type.Array(namedObject),
  /** External stores, whose objects are not in the backup. */
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

export function parseManifest(text: string): Manifest | null {
  const value = jsonOrNull(text);
  return Value.Check(schema, value) ? value : null;
}

/** One line in the format of `sha256sum`, which can then check an unpacked backup. */
export function sumLine(sha256Hex: string, name: string): string {
  return `${sha256Hex}  ${name}\n`;
}

const keyFiles = ['master.key', 'master.key.next'];
const keyFolders = ['signing-keys', 'tls'];
/** Files that are written once and are independent of one another. They are copied unchanged. */
export const plainFolders = ['validations', 'trial', 'models'];
const objectPattern = /^blobs\/b-[0-9a-f]{24}\/objects\/[0-9a-f]{2}\/[0-9a-f]{64}$/;
/** Temporary files that are renamed when complete, and files of a model being added. */
const unfinished = /\.\d+\.(?:new|stale)$|(?:^|\/)\.adding-/;
// A rotation takes milliseconds, so if five passes in a row differ, something else is wrong.
const readings = 5;

/** Whether a backup can contain an entry of this name. Restore writes nothing else into a data folder. */
export function belongs(name: string): boolean {
  if (name === names.database || keyFiles.includes(name) || objectPattern.test(name)) return true;
  const [folder = '', ...parts] = name.split('/');
  if (![...keyFolders, ...plainFolders].includes(folder) || parts.length === 0) return false;
  return parts.every(
    (part) => part !== '' && part !== '.' && part !== '..' && !/[\\\0]/.test(part),
  );
}

/** They belong together, but are replaced one by one, so they are read until two passes agree. @throws `conflict`. */
export async function readKeys(dataDir: string): Promise<ReadonlyMap<string, Buffer>> {
  let last = await readKeysOnce(dataDir);
  for (let reading = 1; reading < readings; reading++) {
    const next = await readKeysOnce(dataDir);
    if (isDeepStrictEqual(next, last)) return next;
    last = next;
  }
  throw conflict('The keys are being replaced; try again.');
}

async function readKeysOnce(dataDir: string): Promise<ReadonlyMap<string, Buffer>> {
  const found = new Map<string, Buffer>();
  for (const name of [...keyFiles, ...(await filesIn(dataDir, keyFolders))]) {
    const content = await unlessMissing(() => readFile(join(dataDir, name)));
    if (content !== null) found.set(name, content);
  }
  return found;
}

/** The paths of all finished files in these folders, sorted within each. */
export async function filesIn(dataDir: string, folders: readonly string[]) {
  const options = { recursive: true, withFileTypes: true } as const;
  const found = await Promise.all(
    folders.map((folder) => unlessMissing(() => readdir(join(dataDir, folder), options))),
  );
  return found.flatMap((entries) =>
    (entries ?? [])
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(dataDir.length + 1))
      .map((path) => path.split(sep).join('/'))
      .filter((path) => !unfinished.test(path))
      .toSorted(),
  );
}

/** Returns our own errors unchanged. `place` is what cannot be written to, and starts the message. */
export function toDiskError(error: unknown, place: string): unknown {
  const code = systemCodeOf(error);
  if (code === null) return error;
  if (isFull(code)) {
    const message = `${place} is on a full disk; free some space.`;
    return new ForensicsError('no_space_left', message, { cause: error });
  }
  const message = `${place} cannot be used (${reasonOf(code)}); fix that or choose another.`;
  return new ForensicsError('output_not_writable', message, { cause: error });
}

// Small batches, because report texts are stored in the same column as report keys.
const batch = 200;

/** The embedded store's objects that rows refer to, including those of deleted analyses awaiting their purge. */
export async function* embeddedObjects(db: Db): AsyncGenerator<NamedObject> {
  const { id, tenantId, inputKey, evidenceKey, storageConfigId } = analyses;
  for (let last = ''; ; ) {
    const rows = await db
      .select({ id, tenantId, inputKey, evidenceKey, rendered: examinations.rendered })
      .from(analyses)
      .leftJoin(examinations, eq(examinations.analysisId, id))
      .where(and(gt(id, last), isNull(storageConfigId)))
      .orderBy(asc(id))
      .limit(batch)
      .all();
    for (const row of rows) {
      const pathOf = (key: string) => `blobs/${objectPath(bucketName(row.tenantId), key)}`;
      const outputs = row.rendered === null ? [] : outputKeys(parseRendered(row.rendered));
      for (const key of [row.inputKey, ...outputs]) yield { path: pathOf(key), isEvidence: false };
      if (row.evidenceKey !== null) yield { path: pathOf(row.evidenceKey), isEvidence: true };
    }
    if (rows.length < batch) return;
    last = rows.at(-1)!.id;
  }
}

export async function storesElsewhere(db: Db): Promise<Manifest['elsewhere']> {
  const { id, type, place } = storageConfigs;
  return db
    .select({ type, place, analyses: countOf(analyses.id) })
    .from(storageConfigs)
    .leftJoin(analyses, eq(analyses.storageConfigId, id))
    .groupBy(type, place)
    .orderBy(asc(place))
    .all();
}

export function masterKeyId(secrets: Secrets): string {
  return secrets.of('backup/key').toString('hex', 0, 8);
}
