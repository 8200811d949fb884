/** The built-in store: a folder, with URLs of the route for objects on this server. */

import { createHmac, createSecretKey, hkdfSync, timingSafeEqual, createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { maxPresignedUrlExpirySeconds, maxUploadBytes } from '../../../contract/limits.ts';
import { ForensicsError, forbidden } from '../../../contract/errors.ts';
import {
  type BlobInfo,
  type BlobStore,
  checkKey,
  defaultContentType,
  encodePath,
  storageUrls,
} from '../store.ts';
import {
  type ObjectRecord,
  type FileSystem,
  incomingName,
  type NewObject,
  onDisk,
  damaged,
  readRecord,
  sweepIncoming,
  writeObject,
} from './object-file.ts';
import * as promises from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readStart, systemCodeOf, unlessMissing } from '../../files/files.ts';

interface EmbeddedStoreSettings {
  /** Must be the same instance that the server uses. */
  readonly buckets: Buckets;
  readonly bucket: string;
  readonly urls: ReturnType<typeof createObjectUrls>;
  /** Public origin of the server, for clients. Read whenever a URL is signed, as the port may be unknown at first. */
  readonly endpoint: () => URL;
  /** Default: seven days. */
  readonly expirySeconds?: number;
}

export function createEmbeddedStore(settings: EmbeddedStoreSettings): BlobStore {
  const { buckets, bucket, urls, endpoint } = settings;
  const { expirySeconds = maxPresignedUrlExpirySeconds } = settings;
  const objects = buckets.open(bucket);

  return {
    type: 's3',
    put: async (key, body, { contentType = defaultContentType } = {}) =>
      blobInfo(await objects.write(key, { bytes: Readable.from([body]), contentType })),
    read: (key, maxBytes) => readObject(objects, key, maxBytes),
    async head(key) {
      const record = await objects.head(key);
      return record && blobInfo(record);
    },
    delete: (key) => objects.remove(key),
    presign(key, now) {
      checkKey(key);
      const expires = Math.floor(now.getTime() / 1000) + expirySeconds;
      const { origin } = endpoint();
      const signed = urls.sign({ bucket, key }, expires);
      const named = { type: 's3', objectKey: key } as const;
      return storageUrls(named, new Date(expires * 1000), (method) => origin + signed[method]);
    },
  };
}

async function readObject(objects: Bucket, key: string, maxBytes: number): Promise<Uint8Array> {
  const object = await objects.open(key);
  if (object === null) {
    throw new ForensicsError('blob_not_found', 'The store has no object with this key.');
  }
  try {
    const { sizeBytes } = object.record;
    if (sizeBytes > maxBytes) {
      throw new ForensicsError('blob_too_large', `The object is larger than ${maxBytes} bytes.`);
    }
    return await readStart(object.bytes(0, sizeBytes), sizeBytes);
  } finally {
    await object.close();
  }
}

function blobInfo({ sizeBytes, etag, contentType }: ObjectRecord): BlobInfo {
  return { sizeBytes, etag, contentType };
}

// The URLs of the embedded store. Each permits one method on one object until it expires; nothing about it is stored:
// /b-<tenant id>/<key>?expires=<Unix seconds>&signature=<HMAC-SHA-256 in base64url>

export type SignedMethod = 'GET' | 'PUT' | 'DELETE';

export interface SignedObject {
  readonly bucket: string;
  readonly key: string;
}

/** @param settings - the key has 32 random bytes. */
export function createObjectUrls(settings: { key: Uint8Array; now?: () => Date }) {
  const { now = () => new Date() } = settings;
  // A key object instead of bytes, because Node.js then signs several times as fast.
  const key = createSecretKey(
    Buffer.from(hkdfSync('sha256', settings.key, '', 'forensics/blobs/urls/1', 32)),
  );

  function signature(method: SignedMethod, object: SignedObject, expires: string): string {
    // The key comes last, because nothing else may contain a line break.
    const text = `${method}\n${expires}\n${object.bucket}\n${object.key}`;
    return createHmac('sha256', key).update(text).digest('base64url');
  }

  return {
    /** @returns path and query of the URL for each method. @param expires - Unix time in seconds. */
    sign(object: SignedObject, expires: number): Readonly<Record<SignedMethod, string>> {
      const path = `/${object.bucket}/${encodePath(object.key)}?expires=${expires}&signature=`;
      const url = (method: SignedMethod) => path + signature(method, object, String(expires));
      return { GET: url('GET'), PUT: url('PUT'), DELETE: url('DELETE') };
    },
    /** @throws {ForensicsError} `forbidden` unless this server signed exactly what is claimed; `url_expired`. */
    verify(
      method: SignedMethod,
      object: SignedObject,
      { expires, signature: given }: { readonly expires?: unknown; readonly signature?: unknown },
    ): void {
      const isSigned =
        typeof expires === 'string' &&
        typeof given === 'string' &&
        isEqual(given, signature(method, object, expires));
      if (!isSigned) {
        throw forbidden(
          'This URL was not signed by this server for this method; use it exactly as it was issued.',
        );
      }
      if (now().getTime() <= Number(expires) * 1000) return;
      throw new ForensicsError('url_expired', 'This URL has expired; request a new one.');
    },
  };
}

/** Constant-time comparison: the duration depends only on the lengths. */
function isEqual(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

// The folders: one bucket per tenant, with its objects.

interface BucketsSettings {
  /** The folder that contains all buckets. */
  readonly root: string;
  /** Default: 50 MiB. */
  readonly maxObjectBytes?: number;
  readonly now?: () => Date;
  /** Allows tests to simulate a failing disk. */
  readonly fileSystem?: FileSystem;
}

export type Buckets = ReturnType<typeof createBuckets>;

export function createBuckets(settings: BucketsSettings) {
  const { root, maxObjectBytes = maxUploadBytes } = settings;
  const opened = new Map<string, ReturnType<typeof openBucket>>();

  /** Opens a bucket without changing anything on disk. @throws {RangeError} unless `name` comes from `bucketName`. */
  function open(name: string) {
    if (!bucketPattern.test(name)) throw new RangeError('Not the name of a bucket.');
    const bucket =
      opened.get(name) ?? openBucket(join(root, name), { ...settings, maxObjectBytes });
    opened.set(name, bucket);
    return bucket;
  }

  /** @throws {ForensicsError} `store_unavailable`. */
  async function sweep(): Promise<void> {
    await onDisk(async () => {
      const names = (await unlessMissing(() => promises.readdir(root))) ?? [];
      for (const name of names.filter((one) => bucketPattern.test(one)))
        await sweepIncoming(join(root, name, 'incoming'));
    });
  }

  return { maxObjectBytes, open, sweep };
}

const bucketPattern = /^b-[0-9a-f]{24}$/;

/** @param tenantId - 24 lower-case hex digits. @throws {RangeError} for anything else: the name is also a folder's. */
export function bucketName(tenantId: string): string {
  const bucket = `b-${tenantId}`;
  if (bucketPattern.test(bucket)) return bucket;
  throw new RangeError('A tenant id must be 24 lower-case hex digits.');
}

/** Path of an object's file, relative to the folder of all buckets, with slashes. */
export function objectPath(bucket: string, key: string): string {
  return `${bucket}/objects/${objectFile(key)}`;
}

export type Bucket = ReturnType<typeof openBucket>;

/** The objects of a bucket: one file each, named by the hash of its key, so that a key cannot act as a path. */
function openBucket(home: string, settings: BucketsSettings & { readonly maxObjectBytes: number }) {
  const { root, maxObjectBytes, now = () => new Date(), fileSystem: fs = promises } = settings;
  const [incoming, folder] = [join(home, 'incoming'), join(home, 'objects')];
  const folders = createFolders(fs, root);
  function filePath(key: string): string {
    checkKey(key);
    return join(folder, objectFile(key));
  }
  /** Null if there is no object; otherwise, close it. @throws {ForensicsError} `blob_damaged`, `store_unavailable`. */
  async function open(key: string): Promise<OpenObject | null> {
    return onDisk(() => openObject(fs, filePath(key), key));
  }
  return {
    /**
     * Writes the file under `incoming/` and syncs it, then moves it into place in one step and syncs the folder. At any
     * time, even after a crash, readers see either the old file or the new one.
     *
     * @throws {ForensicsError} `blob_too_large`, `conflict`, `no_space_left`, `store_unavailable`, or what `object` throws.
     */
    async write(key: string, object: Omit<NewObject, 'key'>): Promise<ObjectRecord> {
      const path = filePath(key);
      const temporary = join(incoming, incomingName());
      try {
        await onDisk(() => folders.ensure(incoming));
        const limits = { maxBytes: maxObjectBytes, now };
        const record = await writeObject(fs, temporary, { ...object, key, ...limits });
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
    },
    open,
    /** Null if there is no such object. @throws {ForensicsError} `blob_damaged`, `store_unavailable`. */
    async head(key: string): Promise<ObjectRecord | null> {
      const object = await open(key);
      await object?.close();
      return object?.record ?? null;
    },
    /** Succeeds even if there is no such object. @throws {ForensicsError} `store_unavailable`. */
    async remove(key: string): Promise<void> {
      const path = filePath(key);
      await onDisk(() => unlessMissing(() => fs.unlink(path)));
      // Even if there was nothing to remove, because an earlier removal may have crashed before it synced.
      await onDisk(() => folders.sync(dirname(path)));
    },
  };
}

/** Remains readable until closed, even if the object is replaced or removed. */
export interface OpenObject {
  readonly record: ObjectRecord;
  /**
   * `length` bytes from `start`. For a whole object, the digest is checked before the last block is returned; for a
   * part of one, only the length can be checked.
   *
   * @throws {ForensicsError} `blob_damaged`, `store_unavailable`.
   */
  bytes(start: number, length: number): AsyncGenerator<Uint8Array>;
  close(): Promise<void>;
}

/** Path below the folder of the objects; because of the hash, a key cannot act as a path. */
function objectFile(key: string): string {
  const name = createHash('sha256').update(key).digest('hex');
  return `${name.slice(0, 2)}/${name}`;
}

const blockBytes = 65_536;

/** Null if there is no such file. */
async function openObject(fs: FileSystem, path: string, key: string): Promise<OpenObject | null> {
  const handle = await unlessMissing(() => fs.open(path, 'r'));
  if (handle === null) return null;
  try {
    const record = await readRecord(handle);
    if (record.key !== key) throw damaged();
    return {
      record,
      bytes: (start, length) => readBytes(handle, record, start, length),
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function* readBytes(
  handle: FileHandle,
  record: ObjectRecord,
  start: number,
  length: number,
): AsyncGenerator<Uint8Array> {
  const isWhole = start === 0 && length === record.sizeBytes;
  const sha256 = isWhole ? createHash('sha256') : null;
  const end = start + length;
  for (let at = start; at < end; ) {
    const block = Buffer.allocUnsafe(Math.min(blockBytes, end - at));
    const { bytesRead } = await onDisk(() => handle.read(block, 0, block.length, at));
    if (bytesRead !== block.length) throw damaged();
    sha256?.update(block);
    at += block.length;
    if (at === end && sha256 !== null && sha256.digest('hex') !== record.sha256) throw damaged();
    yield block;
  }
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
    // Its name is stored in its parent, synced even if it existed: its creator may have crashed before syncing.
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
