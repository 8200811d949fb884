/**
 * Writes the files of a bucket: writes each under `incoming/` and syncs it, then moves it into place in one step and
 * syncs the folder. At any time, even after a crash, readers see either the old file or the new one.
 */

import { dirname, join } from 'node:path';
import { ForensicsError } from '../../../errors.ts';
import { createMutex } from '../../../mutex.ts';
import { systemCodeOf, unlessMissing } from '../../files/system-errors.ts';
import {
  type FileSystem,
  onDisk,
  incomingName,
  type NewObject,
  type ObjectRecord,
  writeObject,
  type WrittenFile,
} from './object-file.ts';

export interface NewFile extends NewObject {
  readonly source: AsyncIterable<Uint8Array>;
  /** If the size is known, quota for this many bytes is claimed before the first byte is written. */
  readonly announcedBytes?: number;
}

interface PublisherSettings {
  readonly fs: FileSystem;
  /** The folder that contains all buckets. */
  readonly root: string;
  readonly incoming: string;
  readonly quota: Quota;
  readonly maxObjectBytes: number;
  readonly now: () => Date;
}

export function createPublisher(settings: PublisherSettings) {
  const { fs, root, incoming, quota, maxObjectBytes, now } = settings;
  const folders = createFolders(fs, root);
  const exclusively = createMutex();

  /** @throws {ForensicsError} `blob_too_large`, `no_space_left`, `store_unavailable`, or what `file` throws. */
  async function put(path: string, file: NewFile): Promise<ObjectRecord> {
    const temporary = join(incoming, incomingName());
    const claim = await quota.claim(file.announcedBytes ?? 0);
    try {
      await onDisk(() => folders.ensure(incoming));
      const bytes = claim.metered(file.source);
      const source = { bytes, maxBytes: maxObjectBytes, now };
      const written = await writeObject(fs, temporary, file, source);
      await onDisk(() => folders.ensure(dirname(path)));
      await exclusively(path, () => publish(temporary, written, path));
      await onDisk(() => folders.sync(dirname(path)));
      return written.record;
    } catch (error) {
      // Not for other errors, because a client that disconnects must not cause extra syncs for others.
      if (error instanceof ForensicsError && error.canRetry) folders.forget();
      // If the file cannot be removed now, the sweep will remove it.
      await fs.unlink(temporary).catch(() => undefined);
      throw error;
    } finally {
      claim.release();
    }
  }

  async function publish(
    temporary: string,
    { fileBytes }: WrittenFile,
    path: string,
  ): Promise<void> {
    const replacedBytes = await fileSize(fs, path);
    await onDisk(() => fs.rename(temporary, path));
    quota.changed(fileBytes - replacedBytes);
  }

  /** Succeeds even if the file does not exist. @throws {ForensicsError} `store_unavailable`. */
  async function remove(path: string): Promise<void> {
    await exclusively(path, async () => {
      const bytes = await fileSize(fs, path);
      await onDisk(() => unlessMissing(() => fs.unlink(path)));
      quota.changed(-bytes);
    });
    // Even if there was nothing to remove, because an earlier removal may have crashed before it synced.
    await onDisk(() => folders.sync(dirname(path)));
  }

  return { put, remove };
}

/** 0 if there is no such file. */
async function fileSize(fs: FileSystem, path: string): Promise<number> {
  return (await onDisk(() => unlessMissing(() => fs.stat(path))))?.size ?? 0;
}

/** Folders below `root`; each is created once, and synced before it is used. */
function createFolders(fs: FileSystem, root: string) {
  // Keeps promises, so that a second writer waits until the folder created by the first is durable.
  const ensured = new Map<string, Promise<void>>();

  /** Creates the folder durably. */
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

// How much space a bucket has left. File sizes count, including the 0.3 kB of metadata in each object. Incoming bytes
// are claimed before they are written, so that concurrent writers cannot exceed the quota; an object that replaces
// another needs its space in addition. Another process may write to the same folder, so files are counted again before
// an upload is rejected, and when the count is older than `countLastsMs`. The quota can therefore be exceeded only by
// what other processes wrote within that time.

interface Claim {
  /** Passes the bytes on; if more arrive than were announced, claims more. */
  metered(source: AsyncIterable<unknown>): AsyncIterable<unknown>;
  /** Must always be called, but after `changed` for the bytes that were written. */
  release(): void;
}

interface Quota {
  /** @throws {ForensicsError} `no_space_left` if this many bytes exceed the quota. */
  claim(bytes: number): Promise<Claim>;
  /** Adjusts the bucket's size by this many bytes, which may be negative. */
  changed(bytes: number): void;
}

interface QuotaSettings {
  /** 0 means no quota. */
  readonly quotaBytes: number;
  /** Computes the total size of the files that count. */
  readonly count: () => Promise<number>;
  readonly now: () => Date;
}

const countLastsMs = 10_000;
/** Counting a large bucket takes long, so at most this share of the time is spent on it. */
const countShare = 0.02;
/** Prevents repeated rejections from causing a new count each time. */
const rejectionLastsMs = 1000;

const freeClaim: Claim = { metered: (source) => source, release: () => undefined };

export function createQuota({ quotaBytes, count, now }: QuotaSettings): Quota {
  if (quotaBytes === 0) return { claim: async () => freeClaim, changed: () => undefined };
  let claimedBytes = 0;
  const used = createCount({ count, now });
  const fits = (bytes: number) => used.bytes() + claimedBytes + bytes <= quotaBytes;

  async function take(bytes: number): Promise<void> {
    await used.renew();
    if (!fits(bytes)) await used.renew(rejectionLastsMs);
    if (!fits(bytes)) throw overQuota(quotaBytes);
    claimedBytes += bytes;
  }

  async function claim(announced: number): Promise<Claim> {
    await take(announced);
    let held = announced;
    return {
      async *metered(source) {
        let seen = 0;
        for await (const chunk of source) {
          seen += chunk instanceof Uint8Array ? chunk.length : 0;
          const more = Math.max(0, seen - held);
          if (more > 0) await take(more);
          held += more;
          yield chunk;
        }
      },
      release() {
        claimedBytes -= held;
        held = 0;
      },
    };
  }

  return { claim, changed: (bytes) => used.changed(bytes) };
}

function createCount({ count, now }: Omit<QuotaSettings, 'quotaBytes'>) {
  let usedBytes = 0;
  /**
   * Bytes written while a count was in progress, which may have missed them. At worst they are
   * counted twice, and uploads are rejected too early until the next count.
   */
  let addedDuringCountBytes = 0;
  let countedAtMs = Number.NEGATIVE_INFINITY;
  let lastsMs = countLastsMs;
  let counting: Promise<void> | null = null;

  async function recount(): Promise<void> {
    addedDuringCountBytes = 0;
    const [atMs, startedAt] = [now().getTime(), performance.now()];
    try {
      usedBytes = (await count()) + addedDuringCountBytes;
      lastsMs = Math.max(countLastsMs, (performance.now() - startedAt) / countShare);
      countedAtMs = atMs;
    } finally {
      counting = null;
    }
  }

  return {
    bytes: () => usedBytes,
    /** Counts again if the last count is older than this. */
    async renew(afterMs = lastsMs): Promise<void> {
      if (Math.abs(now().getTime() - countedAtMs) <= afterMs) return;
      await (counting ??= recount());
    },
    changed(bytes: number): void {
      usedBytes += bytes;
      addedDuringCountBytes += Math.max(0, bytes);
    },
  };
}

function overQuota(quotaBytes: number): ForensicsError {
  return new ForensicsError(
    'no_space_left',
    `This would exceed this tenant's storage quota, ${quotaBytes} bytes. Delete what is no longer needed, or ask for a larger quota.`,
  );
}
