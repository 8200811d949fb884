/**
 * A bucket as a folder: one file an object, named by the hash of its key, so that no key can be a path. A file is
 * written under `incoming/`, synced, renamed into `objects/`, and its folder synced: readers and crashes see the old
 * object or the new one. It knows nothing of HTTP, signatures or tenants.
 */

import { createHash } from 'node:crypto';
import * as promises from 'node:fs/promises';
import { join } from 'node:path';
import { ForensicsError } from '../../errors.ts';
import { checkKey } from '../checks.ts';
import { type FileSystem, onDisk, onDiskNow, systemCode } from './disk.ts';
import { createFolders } from './folders.ts';
import { incomingName, sweepIncoming } from './incoming.ts';
import { type OpenObject, openObject } from './open-object.ts';
import type { ObjectRecord } from './record.ts';
import { writeObject } from './write-object.ts';

export interface ObjectFilesSettings {
  /** The folder of all buckets. */
  readonly root: string;
  readonly bucket: string;
  readonly maxObjectBytes: number;
  readonly now: () => Date;
  /** For tests of a failing disk. */
  readonly fileSystem?: FileSystem;
}

export interface WriteOptions {
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Refuse with `conflict` when the key is taken, also when it is taken meanwhile. */
  readonly ifAbsent?: boolean;
  /** The last word before the object becomes visible: throwing leaves everything as it was. */
  readonly beforeCommit?: (record: ObjectRecord) => void;
}

export interface ObjectFiles {
  /** @throws {ForensicsError} `blob_too_large`, `conflict`, `no_space_left`, `store_unavailable`, or what `source` throws. */
  write(
    key: string,
    source: AsyncIterable<Uint8Array>,
    options: WriteOptions,
  ): Promise<ObjectRecord>;
  /** Null when there is none. To be closed by the caller. @throws {ForensicsError} `blob_damaged`, `store_unavailable`. */
  open(key: string): Promise<OpenObject | null>;
  /** Null when there is none. @throws {ForensicsError} `blob_damaged`, `store_unavailable`. */
  head(key: string): Promise<ObjectRecord | null>;
  remove(key: string): Promise<void>;
  /** Every object, in no order. @throws {ForensicsError} `blob_damaged`, `store_unavailable`. */
  records(): AsyncGenerator<ObjectRecord>;
  /** @returns how many leftovers of dead writers were removed. @throws {ForensicsError} `store_unavailable`. */
  sweep(): number;
}

export function createObjectFiles(settings: ObjectFilesSettings): ObjectFiles {
  const { root, bucket, maxObjectBytes, now, fileSystem: fs = promises } = settings;
  const home = join(root, bucket);
  const objects = join(home, 'objects');
  const incoming = join(home, 'incoming');
  const folders = createFolders(fs, root);

  function placeOf(key: string): { folder: string; path: string } {
    checkKey(key);
    const name = fileName(key);
    const folder = join(objects, name.slice(0, 2));
    return { folder, path: join(folder, name) };
  }

  async function write(
    key: string,
    source: AsyncIterable<Uint8Array>,
    options: WriteOptions,
  ): Promise<ObjectRecord> {
    const { folder, path } = placeOf(key);
    const temporary = join(incoming, incomingName());
    await onDisk(() => folders.ensure(incoming));
    try {
      const object = { key, source, options, maxObjectBytes, now };
      const record = await writeObject(fs, temporary, object);
      await onDisk(() => folders.ensure(folder));
      await publish(temporary, path, options.ifAbsent === true);
      await onDisk(() => folders.sync(folder));
      return record;
    } catch (error) {
      // Only then: clients that break off must not cost others their syncs.
      if (error instanceof ForensicsError && error.canRetry) folders.forget();
      // What cannot be removed now is left to the sweep.
      await fs.unlink(temporary).catch(() => undefined);
      throw error;
    }
  }

  async function publish(temporary: string, path: string, ifAbsent: boolean): Promise<void> {
    if (!ifAbsent) return onDisk(() => fs.rename(temporary, path));
    try {
      // A link, unlike a rename, never replaces: of two writers at once one succeeds.
      await fs.link(temporary, path);
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') return onDisk(() => Promise.reject(error));
      throw new ForensicsError('conflict', 'There is an object with this key already.');
    }
    await onDisk(() => fs.unlink(temporary));
  }

  async function open(key: string): Promise<OpenObject | null> {
    return onDisk(() => openObject(fs, placeOf(key).path, (record) => record.key === key));
  }

  async function head(key: string): Promise<ObjectRecord | null> {
    const object = await open(key);
    await object?.close();
    return object?.record ?? null;
  }

  async function remove(key: string): Promise<void> {
    const { folder, path } = placeOf(key);
    await onDisk(() => unlinkIfThere(fs, path));
    // Also when nothing was there: an earlier removal may have crashed before its sync.
    await onDisk(() => folders.sync(folder));
  }

  async function* records(): AsyncGenerator<ObjectRecord> {
    for (const shard of await onDisk(() => namesIn(fs, objects, /^[0-9a-f]{2}$/))) {
      const folder = join(objects, shard);
      for (const name of await onDisk(() => namesIn(fs, folder, /^[0-9a-f]{64}$/))) {
        const path = join(folder, name);
        const isOurs = (record: ObjectRecord) => fileName(record.key) === name;
        const object = await onDisk(() => openObject(fs, path, isOurs));
        await object?.close();
        if (object !== null) yield object.record;
      }
    }
  }

  const sweep = () => onDiskNow(() => sweepIncoming(incoming));

  return { write, open, head, remove, records, sweep };
}

function fileName(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

async function unlinkIfThere(fs: FileSystem, path: string): Promise<void> {
  try {
    await fs.unlink(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}

/** Names that are ours: people and systems leave other files in folders. */
async function namesIn(fs: FileSystem, folder: string, pattern: RegExp): Promise<string[]> {
  try {
    return (await fs.readdir(folder)).filter((name) => pattern.test(name));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}
