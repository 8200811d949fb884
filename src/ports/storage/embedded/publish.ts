/**
 * Writes the files of a bucket: writes each under `incoming/` and syncs it, then moves it into place in one step and
 * syncs the folder. At any time, even after a crash, readers see either the old file or the new one.
 */

import { dirname, join } from 'node:path';
import { ForensicsError } from '../../../errors.ts';
import { systemCodeOf, unlessMissing } from '../../files/system-errors.ts';
import {
  type FileSystem,
  onDisk,
  incomingName,
  type NewObject,
  type ObjectRecord,
  writeObject,
} from './object-file.ts';

export interface NewFile extends NewObject {
  readonly source: AsyncIterable<Uint8Array>;
}

interface PublisherSettings {
  readonly fs: FileSystem;
  /** The folder that contains all buckets. */
  readonly root: string;
  readonly incoming: string;
  readonly maxObjectBytes: number;
  readonly now: () => Date;
}

export function createPublisher(settings: PublisherSettings) {
  const { fs, root, incoming, maxObjectBytes, now } = settings;
  const folders = createFolders(fs, root);

  /** @throws {ForensicsError} `blob_too_large`, `no_space_left`, `store_unavailable`, or what `file` throws. */
  async function put(path: string, file: NewFile): Promise<ObjectRecord> {
    const temporary = join(incoming, incomingName());
    try {
      await onDisk(() => folders.ensure(incoming));
      const source = { bytes: file.source, maxBytes: maxObjectBytes, now };
      const record = await writeObject(fs, temporary, file, source);
      await onDisk(() => folders.ensure(dirname(path)));
      await onDisk(() => fs.rename(temporary, path));
      await onDisk(() => folders.sync(dirname(path)));
      return record;
    } catch (error) {
      // Not for other errors, because a client that disconnects must not cause extra syncs for others.
      if (error instanceof ForensicsError && error.canRetry) folders.forget();
      // If the file cannot be removed now, the sweep will remove it.
      await fs.unlink(temporary).catch(() => undefined);
      throw error;
    }
  }

  /** Succeeds even if the file does not exist. @throws {ForensicsError} `store_unavailable`. */
  async function remove(path: string): Promise<void> {
    await onDisk(() => unlessMissing(() => fs.unlink(path)));
    // Even if there was nothing to remove, because an earlier removal may have crashed before it synced.
    await onDisk(() => folders.sync(dirname(path)));
  }

  return { put, remove };
}

/** Folders below `root`; each is created once, and synced before it is used. */
function createFolders(fs: FileSystem, root: string) {
  // Keeps promises, so that a second writer waits until the folder created by the first is durable.
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

  /** Does not use `recursive`, which reports ENOENT if the file system is mounted read-only. */
  async function make(folder: string): Promise<void> {
    if (folder.length > root.length) await ensure(dirname(folder));
    await fs.mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
      if (systemCodeOf(error) !== 'EEXIST') throw error;
    });
    // The name of a folder is stored in its parent. The parent is synced even if the folder
    // existed, because the process that created it may have crashed before syncing it.
    if (folder.length > root.length) await sync(dirname(folder));
  }

  /** Makes the names in the folder survive a power cut; a missing folder is ignored. */
  async function sync(folder: string): Promise<void> {
    // On Windows, a folder cannot be synced.
    if (process.platform === 'win32') return;
    const handle = await unlessMissing(() => fs.open(folder, 'r'));
    try {
      await handle?.sync();
    } finally {
      await handle?.close();
    }
  }

  return {
    ensure,
    sync,
    /** Makes the next call check again, because a folder may have been removed. */
    forget: () => ensured.clear(),
  };
}
