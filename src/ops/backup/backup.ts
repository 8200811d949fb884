/**
 * Backs up a data folder while its server runs: a snapshot of the database, then the immutable files that it refers to.
 * The manifest lists those removed meanwhile. A single tar file can be streamed at any size, and unpacked everywhere.
 */

import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, open, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { pack } from 'tar-stream';
import {
  requireFreeSpace,
  linkUnlessTaken,
  syncFolder,
  unlessMissing,
} from '../../ports/files/files.ts';
import type { Db } from '../../ports/db/database.ts';
import { inspectDatabase, readDatabase, snapshotBytes } from '../../ports/db/snapshot.ts';
import { copyDatabase, requireSqlite } from '../../ports/db/sqlite.ts';
import { ForensicsError, conflict, nullOn, usageError } from '../../contract/errors.ts';
import { operator, serviceChain } from '../../service/audit/entry.ts';
import type { Audit } from '../../service/audit/log.ts';
import type { Secrets } from '../../service/secrets/secrets.ts';
import {
  embeddedObjects,
  filesIn,
  type Manifest,
  manifestText,
  masterKeyId,
  type NamedObject,
  names,
  plainFolders,
  readKeys,
  storesElsewhere,
  sumLine,
  toDiskError,
} from './contents.ts';

interface BackedUp {
  /** `keyFile`: null if the settings contain the master key. */
  readonly folder: { readonly path: string; readonly keyFile: object | null };
  readonly secrets: Secrets;
  /** Kept open for the whole backup, so that nobody can replace the master key in the meantime. */
  readonly database: { readonly db: Db };
  readonly audit: Pick<Audit, 'note'>;
}

interface BackupRequest {
  /** The file to write; it must not exist yet. */
  readonly out: string;
  readonly withKeys: boolean;
  readonly program: string;
  /** The settings as they may be shown, with secrets replaced. */
  readonly settings: Manifest['settings'];
  readonly now: () => Date;
  /** Called with the fraction of the files that are copied, 0..1; to abort the backup, it throws. */
  readonly onProgress?: (share: number) => void;
}

/**
 * The file appears complete or not at all. The audit log of the service records the hash of every backup's manifest,
 * unless the data folder is on a full disk; then `isRecorded` is false.
 *
 * @throws {ForensicsError} `conflict`; `usage` if `out` is inside the data folder; `no_space_left`,
 *   `output_not_writable`; whatever `onProgress` throws.
 */
export async function backUp(core: BackedUp, request: BackupRequest) {
  const made = await createFile(core, request);
  const details = { manifestSha256: made.manifestSha256, holdsKeys: request.withKeys };
  const note = { chain: serviceChain, actor: operator, subject: null, details };
  const noted = await nullOn(['no_space_left'], async () => {
    await core.audit.note({ ...note, event: 'backup.created' });
    return true;
  });
  return { ...made, isRecorded: noted !== null };
}

async function createFile(core: BackedUp, request: BackupRequest) {
  const out = resolve(request.out);
  const folder = dirname(out);
  try {
    await checkPlace(out, core.folder.path);
    // Space is needed for the snapshot and for the archive that contains it.
    await requireFreeSpace(folder, 2 * snapshotBytes(requireSqlite(core.database.db)));
    const staging = await mkdtemp(join(folder, '.forensics-backup-'));
    try {
      const archive = join(staging, basename(out));
      const made = await write(core, request, archive);
      if (!(await linkUnlessTaken(archive, out))) throw isTaken(out);
      syncFolder(dirname(out));
      return { ...made, file: out, sizeBytes: (await stat(out)).size };
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  } catch (error) {
    throw toDiskError(error, 'The folder for the backup');
  }
}

async function write(core: BackedUp, request: BackupRequest, archive: string) {
  const { path: dataDir, keyFile } = core.folder;
  const { withKeys: holdsKeys, program, settings, now, onProgress = () => undefined } = request;
  const staging = dirname(archive);
  const createdAt = now().toISOString();
  const place = keyFile === null ? 'environment' : holdsKeys ? 'here' : 'apart';
  const masterKey = { place, id: masterKeyId(core.secrets) } as const;
  const snapshot = join(staging, `${randomUUID()}.db`);
  onProgress(0);
  copyDatabase(requireSqlite(core.database.db).$client, snapshot);
  const { keys, files, ...found } = await gather(dataDir, snapshot, holdsKeys);
  await requireFreeSpace(staging, (await stat(snapshot)).size + (await totalBytes(dataDir, files)));
  return writeArchive(archive, new Date(createdAt), async (add) => {
    await addFile(add, names.database, snapshot);
    for (const [name, content] of keys) await add(name, content.length, [content]);
    const absent: NamedObject[] = [];
    for (const [index, file] of files.entries()) {
      onProgress(index / files.length);
      const isThere = await addFile(add, file.path, join(dataDir, file.path));
      if (!isThere) absent.push(file);
    }
    return { format: 1, program, createdAt, ...found, holdsKeys, masterKey, settings, absent };
  });
}

/** Collects the files that go into the archive with the snapshot, and their entries in the manifest. */
async function gather(dataDir: string, snapshot: string, withKeys: boolean) {
  const keys = withKeys ? await readKeys(dataDir) : new Map<string, Buffer>();
  const { schema, rows, problems } = await inspectDatabase(snapshot);
  if (problems.length > 0) {
    const message = `The database is inconsistent, so no backup was written; keep your earlier backups. ${problems.join(' ')}`;
    throw new ForensicsError('database_damaged', message);
  }
  const plain = (await filesIn(dataDir, plainFolders)).map((path) => ({ path, isEvidence: false }));
  const { objects, elsewhere } = await readDatabase(snapshot, async (copy) => {
    const named: NamedObject[] = [];
    for await (const object of embeddedObjects(copy)) named.push(object);
    return { objects: named, elsewhere: await storesElsewhere(copy) };
  });
  return { keys, files: [...plain, ...objects], schema, rows, elsewhere };
}

const maxBlockBytes = 1 << 20;

/** @returns false if the file does not exist. */
async function addFile(add: AddFile, name: string, path: string): Promise<boolean> {
  const handle = await unlessMissing(() => open(path, 'r'));
  if (handle === null) return false;
  try {
    // The open handle keeps pointing at this file even if it is deleted or replaced by a rename.
    const { size } = await handle.stat();
    // A stream allocates a block of this size first, and most files are smaller.
    const highWaterMark = Math.min(Math.max(1, size), maxBlockBytes);
    await add(name, size, handle.createReadStream({ autoClose: false, highWaterMark }));
    return true;
  } finally {
    await handle.close();
  }
}

async function totalBytes(dataDir: string, files: readonly NamedObject[]): Promise<number> {
  let bytes = 0;
  for (const { path } of files) {
    // Includes the tar header and the padding of the entry.
    bytes += ((await stat(join(dataDir, path)).catch(() => null))?.size ?? 0) + 1024;
  }
  return bytes;
}

async function checkPlace(out: string, dataDir: string): Promise<void> {
  if ((await stat(out).catch(() => null)) !== null) throw isTaken(out);
  const [place, data] = [await realpath(dirname(out)), await realpath(dataDir)];
  if (place !== data && !place.startsWith(data + sep)) return;
  throw usageError(
    'A backup inside the data folder would be lost with it; set --out to a path outside, preferably on another disk.',
  );
}

function isTaken(out: string): ForensicsError {
  return conflict(`${out} already exists; choose another --out.`);
}

/** @throws {ForensicsError} `conflict` if the source is shorter or longer than `size` bytes. */
type AddFile = (name: string, size: number, source: Source) => Promise<void>;
type Source = AsyncIterable<Uint8Array> | readonly Uint8Array[];

/** @param at - modification time of every entry. @param fill - adds the files, returns the facts for the manifest. */
async function writeArchive(
  path: string,
  at: Date,
  fill: (add: AddFile) => Promise<Omit<Manifest, 'files' | 'bytes' | 'sums'>>,
): Promise<{ readonly manifest: Manifest; readonly manifestSha256: string }> {
  const tar = pack();
  const written = pipeline(tar, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }));
  const sums: string[] = [];
  let bytes = 0;

  async function writeEntry(name: string, size: number, source: Source) {
    const sha256 = createHash('sha256');
    async function* hashed() {
      let read = 0;
      for await (const block of source) {
        sha256.update(block);
        read += block.length;
        yield block;
      }
      if (read === size) return;
      throw conflict(`${name} changed while it was being read; try again.`);
    }
    await pipeline(hashed, tar.entry({ name, size, mode: 0o600, mtime: at, type: 'file' }));
    return sha256.digest('hex');
  }

  async function writeText(name: string, text: string): Promise<string> {
    const content = Buffer.from(text);
    return writeEntry(name, content.length, [content]);
  }

  try {
    const facts = await fill(async (name, sizeBytes, source) => {
      sums.push(sumLine(await writeEntry(name, sizeBytes, source), name));
      bytes += sizeBytes;
    });
    const listed = await writeText(names.sums, sums.join(''));
    const manifest = { ...facts, files: sums.length, bytes, sums: listed };
    const manifestSha256 = await writeText(names.manifest, manifestText(manifest));
    await writeText(names.manifestSum, sumLine(manifestSha256, names.manifest));
    tar.finalize();
    await written;
    return { manifest, manifestSha256 };
  } catch (error) {
    tar.destroy(error instanceof Error ? error : new Error(String(error)));
    // If the file could not be written, this throws the cause of the error caught here.
    await written;
    throw error;
  }
}
