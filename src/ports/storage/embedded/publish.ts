/**
 * Writes the files of a bucket: first under `incoming/`, then synced, then moved into place in one step, then the folder
 * synced. Readers and crashes see either the old file or the new one.
 */

import { dirname, join } from 'node:path';
import { ForensicsError } from '../../../errors.ts';
import { createMutex } from '../../../mutex.ts';
import { type FileSystem, nullIfMissing, onDisk, systemCode } from './disk.ts';
import type { Quota } from './quota.ts';
import {
  incomingName,
  type NewObject,
  type ObjectRecord,
  writeObject,
  type WrittenFile,
} from './object-file.ts';

export interface NewFile extends NewObject {
  readonly source: AsyncIterable<Uint8Array>;
  /** If known: quota for this many bytes is claimed before the first is written. */
  readonly announcedBytes?: number;
  /** Fail with `conflict` when the name is taken, even if another writer takes it at the last moment. */
  readonly ifAbsent?: boolean;
  /** Called when the bytes are synced and no other writer of this process can change the target. Throwing changes nothing. */
  readonly beforePublish?: (record: ObjectRecord) => Promise<void>;
}

export interface Publisher {
  /** @throws {ForensicsError} `blob_too_large`, `conflict`, `no_space_left`, `store_unavailable`, or what `file` throws. */
  put(path: string, file: NewFile): Promise<ObjectRecord>;
  /** Removing what is not there succeeds. `mayRemove` is called as `beforePublish` is. @throws {ForensicsError} `store_unavailable`. */
  remove(path: string, mayRemove?: () => Promise<void>): Promise<void>;
}

interface PublisherSettings {
  readonly fs: FileSystem;
  /** The folder of all buckets. */
  readonly root: string;
  readonly incoming: string;
  readonly quota: Quota;
  readonly maxObjectBytes: number;
  readonly now: () => Date;
}

export function createPublisher(settings: PublisherSettings): Publisher {
  const { fs, root, incoming, quota, maxObjectBytes, now } = settings;
  const folders = createFolders(fs, root);
  const exclusively = createMutex();

  async function put(path: string, file: NewFile): Promise<ObjectRecord> {
    const temporary = join(incoming, incomingName());
    const claim = await quota.claim(file.announcedBytes ?? 0);
    try {
      await onDisk(() => folders.ensure(incoming));
      const bytes = claim.metered(file.source);
      const source = { bytes, maxBytes: maxObjectBytes, now };
      const written = await writeObject(fs, temporary, file, source);
      await onDisk(() => folders.ensure(dirname(path)));
      await exclusively(path, () => publish(temporary, written, path, file));
      await onDisk(() => folders.sync(dirname(path)));
      return written.record;
    } catch (error) {
      // Not for other errors: a client that disconnects must not cause extra syncs for others.
      if (error instanceof ForensicsError && error.canRetry) folders.forget();
      // If it cannot be removed now, the sweep will.
      await fs.unlink(temporary).catch(() => undefined);
      throw error;
    } finally {
      claim.release();
    }
  }

  async function publish(
    temporary: string,
    { record, fileBytes }: WrittenFile,
    path: string,
    { beforePublish, ifAbsent = false }: NewFile,
  ): Promise<void> {
    await beforePublish?.(record);
    const replacedBytes = await fileSize(fs, path);
    if (ifAbsent) await link(fs, temporary, path);
    else await onDisk(() => fs.rename(temporary, path));
    quota.changed(fileBytes - replacedBytes);
  }

  async function remove(path: string, mayRemove?: () => Promise<void>): Promise<void> {
    await exclusively(path, async () => {
      await mayRemove?.();
      const bytes = await fileSize(fs, path);
      await onDisk(() => nullIfMissing(() => fs.unlink(path)));
      quota.changed(-bytes);
    });
    // Even when nothing was there: an earlier removal may have crashed before its sync.
    await onDisk(() => folders.sync(dirname(path)));
  }

  return { put, remove };
}

/** Unlike a rename, a link never replaces: of two concurrent writers one succeeds. */
async function link(fs: FileSystem, temporary: string, path: string): Promise<void> {
  try {
    await fs.link(temporary, path);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') return onDisk(() => Promise.reject(error));
    throw new ForensicsError('conflict', 'An object with this key exists already.');
  }
  await onDisk(() => fs.unlink(temporary));
}

/** 0 when there is no such file. */
async function fileSize(fs: FileSystem, path: string): Promise<number> {
  return (await onDisk(() => nullIfMissing(() => fs.stat(path))))?.size ?? 0;
}

interface Folders {
  /** Creates the folder so that it survives a power cut. */
  ensure(folder: string): Promise<void>;
  /** Makes the names inside the folder survive a power cut; does nothing for a missing folder. */
  sync(folder: string): Promise<void>;
  /** Checks again at the next call: a folder may have been removed. */
  forget(): void;
}

/** Folders below `root`, each created once and synced before it is used. */
function createFolders(fs: FileSystem, root: string): Folders {
  // Promises, so that a second writer waits until the first one's folder is durable.
  const ensured = new Map<string, Promise<void>>();

  function ensure(folder: string): Promise<void> {
    const known = ensured.get(folder);
    if (known !== undefined) return known;
    const made = make(folder).catch((error: unknown) => {
      ensured.delete(folder);
      throw error;
    });
    ensured.set(folder, made);
    return made;
  }

  async function make(folder: string): Promise<void> {
    await fs.mkdir(folder, { recursive: true, mode: 0o700 });
    // A folder's name is stored in its parent. Synced even if it existed: its creator may have crashed before that.
    for (let at = folder; at.length > root.length; at = dirname(at)) await sync(dirname(at));
  }

  async function sync(folder: string): Promise<void> {
    // Windows cannot sync a folder.
    if (process.platform === 'win32') return;
    try {
      const handle = await fs.open(folder, 'r');
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
    }
  }

  return { ensure, sync, forget: () => ensured.clear() };
}
