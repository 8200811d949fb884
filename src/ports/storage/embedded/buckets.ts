/** The folders of the embedded store: one bucket per tenant, with its objects. */

import { createHash } from 'node:crypto';
import * as promises from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { maxUploadBytes } from '../../../contract/limits.ts';
import { unlessMissing } from '../../files/system-errors.ts';
import { checkKey } from '../store.ts';
import {
  type FileSystem,
  namesInSync,
  onDisk,
  onDiskSync,
  damaged,
  type ObjectRecord,
  readRecord,
  sweepIncoming,
} from './object-file.ts';
import { createPublisher, type NewFile } from './publish.ts';

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

  function sweep(): void {
    const names = onDiskSync(() => namesInSync(root)).filter((name) => bucketPattern.test(name));
    for (const name of names) open(name).sweep();
  }

  return { maxObjectBytes, open, sweep };
}

const bucketPattern = /^b-[0-9a-f]{24}$/;

/**
 * @param tenantId - 24 lower-case hex digits.
 * @throws {RangeError} for anything else, because the bucket name is also a folder name.
 */
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
  const publisher = createPublisher({ fs, root, incoming, maxObjectBytes, now });
  function filePath(key: string): string {
    checkKey(key);
    return join(folder, objectFile(key));
  }
  /** Null if there is no object; otherwise, close it. @throws {ForensicsError} `blob_damaged`, `store_unavailable`. */
  async function open(key: string): Promise<OpenObject | null> {
    return onDisk(() => openObject(fs, filePath(key), key));
  }
  return {
    /** @throws {ForensicsError} `blob_too_large`, `conflict`, `no_space_left`, `store_unavailable`, or what `object` throws. */
    write: async (key: string, object: Omit<NewFile, 'key'>): Promise<ObjectRecord> =>
      publisher.put(filePath(key), { ...object, key }),
    open,
    /** Null if there is no such object. @throws {ForensicsError} `blob_damaged`, `store_unavailable`. */
    async head(key: string): Promise<ObjectRecord | null> {
      const object = await open(key);
      await object?.close();
      return object?.record ?? null;
    },
    /** Succeeds even if there is no such object. */
    remove: async (key: string): Promise<void> => publisher.remove(filePath(key)),
    /** @throws {ForensicsError} `store_unavailable`. */
    sweep: () => onDiskSync(() => sweepIncoming(incoming)),
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
