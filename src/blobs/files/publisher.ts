/**
 * How every file of a bucket comes to be: written aside under `incoming/`, synced, moved into its place in one step, the
 * folder synced. Readers and crashes see the old file or the new one.
 */

import { join } from 'node:path';
import { ForensicsError } from '../../errors.ts';
import { type FileSystem, ifThere, onDisk, systemCode } from './disk.ts';
import type { Folders } from './folders.ts';
import { incomingName } from './incoming.ts';
import type { ObjectRecord } from './record.ts';
import type { Space } from './space.ts';
import type { Turns } from './turns.ts';
import { type NewObject, type WrittenFile, writeObject } from './write-object.ts';

export interface Place {
  readonly folder: string;
  readonly path: string;
  /** Changes to places with the same word wait for each other. */
  readonly turn: string;
}

export interface NewFile extends NewObject {
  readonly source: AsyncIterable<Uint8Array>;
  /** Where it is known: room for so many bytes is claimed before the first is taken. */
  readonly announcedBytes?: number;
  /** Refuse with `conflict` when the place is taken, also when it is taken meanwhile. */
  readonly ifAbsent?: boolean;
  /** Called when the bytes are safe and nobody in this process changes the place: throwing leaves everything as it was. */
  readonly beforePublish?: (record: ObjectRecord) => Promise<void>;
}

export interface Publisher {
  /** @throws {ForensicsError} `blob_too_large`, `conflict`, `no_space_left`, `store_unavailable`, or what `file` throws. */
  put(place: Place, file: NewFile): Promise<ObjectRecord>;
  /** Removing what is not there succeeds. `mayRemove` is called as `beforePublish` is. @throws {ForensicsError} `store_unavailable`. */
  remove(place: Place, mayRemove?: () => Promise<void>): Promise<void>;
  /** Removes what nothing leads to any more. What cannot be removed now, or comes back, is left to the sweep. */
  discard(path: string): Promise<void>;
}

export interface PublisherSettings {
  readonly fs: FileSystem;
  readonly folders: Folders;
  readonly incoming: string;
  readonly space: Space;
  readonly turns: Turns;
  readonly maxObjectBytes: number;
  readonly now: () => Date;
}

export function createPublisher(settings: PublisherSettings): Publisher {
  const { fs, folders, incoming, space, turns, maxObjectBytes, now } = settings;

  async function put(place: Place, file: NewFile): Promise<ObjectRecord> {
    const temporary = join(incoming, incomingName());
    const claim = await space.claim(file.announcedBytes ?? 0);
    try {
      await onDisk(() => folders.ensure(incoming));
      const bytes = claim.metered(file.source);
      const source = { bytes, maxBytes: maxObjectBytes, now };
      const written = await writeObject(fs, temporary, file, source);
      await onDisk(() => folders.ensure(place.folder));
      await turns(place.turn, () => publish(temporary, written, place, file));
      await onDisk(() => folders.sync(place.folder));
      return written.record;
    } catch (error) {
      // Only then: clients that break off must not cost others their syncs.
      if (error instanceof ForensicsError && error.canRetry) folders.forget();
      // As in `discard`, but of bytes that nobody has counted yet.
      await fs.unlink(temporary).catch(() => undefined);
      throw error;
    } finally {
      claim.release();
    }
  }

  async function publish(
    temporary: string,
    { record, fileBytes }: WrittenFile,
    { path }: Place,
    { beforePublish, ifAbsent = false }: NewFile,
  ): Promise<void> {
    await beforePublish?.(record);
    const replacedBytes = await sizeOf(path);
    if (ifAbsent) await link(temporary, path);
    else await onDisk(() => fs.rename(temporary, path));
    space.changed(fileBytes - replacedBytes);
  }

  /** A link, unlike a rename, never replaces: of two writers at once one succeeds. */
  async function link(temporary: string, path: string): Promise<void> {
    try {
      await fs.link(temporary, path);
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') return onDisk(() => Promise.reject(error));
      throw new ForensicsError('conflict', 'There is an object with this key already.');
    }
    await onDisk(() => fs.unlink(temporary));
  }

  async function remove(place: Place, mayRemove?: () => Promise<void>): Promise<void> {
    await turns(place.turn, async () => {
      await mayRemove?.();
      await onDisk(() => unlink(place.path));
    });
    // Also when nothing was there: an earlier removal may have crashed before its sync.
    await onDisk(() => folders.sync(place.folder));
  }

  async function unlink(path: string): Promise<void> {
    const bytes = await sizeOf(path);
    await ifThere(() => fs.unlink(path));
    space.changed(-bytes);
  }

  /** 0 when there is no such file. */
  async function sizeOf(path: string): Promise<number> {
    return (await onDisk(() => ifThere(() => fs.stat(path))))?.size ?? 0;
  }

  return { put, remove, discard: (path) => unlink(path).catch(() => undefined) };
}
