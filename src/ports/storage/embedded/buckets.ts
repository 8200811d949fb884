/**
 * The folders of the embedded store: one bucket for each tenant, with its objects and its quota. The stores and the server of
 * a process share them, so that both see one count and never change one object at the same time.
 */

import * as promises from 'node:fs/promises';
import { join } from 'node:path';
import { maxUploadBytes } from '../../../contract/limits.ts';
import {
  type FileSystem,
  nullIfMissing,
  namesIn,
  namesInSync,
  onDisk,
  onDiskSync,
  removeSync,
} from './disk.ts';
import {
  createObjectFiles,
  objectFile,
  type ObjectFiles,
  objectPattern,
  shardPattern,
} from './object-files.ts';
import { createPublisher } from './publish.ts';
import { createQuota } from './quota.ts';
import { sweepIncoming } from './write-object.ts';

interface BucketsSettings {
  /** The folder of all buckets. */
  readonly root: string;
  /** 50 MiB when left out. */
  readonly maxObjectBytes?: number;
  /** What the files of one bucket may take; 0, or left out, for any. */
  readonly quotaBytes?: number;
  readonly now?: () => Date;
  /** For tests of a failing disk. */
  readonly fileSystem?: FileSystem;
}

interface Bucket {
  readonly objects: ObjectFiles;
  /** @returns how many files of dead writers were removed. @throws {ForensicsError} `store_unavailable`. */
  sweep(): number;
}

export interface Buckets {
  readonly maxObjectBytes: number;
  /** Changes nothing on the disk. @throws {RangeError} unless `name` is one that `bucketName` returns. */
  open(name: string): Bucket;
  /** Sweeps every bucket. @throws {ForensicsError} `store_unavailable`. */
  sweep(): number;
}

export function createBuckets(settings: BucketsSettings): Buckets {
  const { root, maxObjectBytes = maxUploadBytes } = settings;
  const opened = new Map<string, Bucket>();

  function open(name: string): Bucket {
    if (!bucketPattern.test(name)) throw new RangeError('Not the name of a bucket.');
    const bucket =
      opened.get(name) ?? openBucket(join(root, name), { ...settings, maxObjectBytes });
    opened.set(name, bucket);
    return bucket;
  }

  function sweep(): number {
    const names = onDiskSync(() => namesInSync(root)).filter((name) => bucketPattern.test(name));
    return names.reduce((removed, name) => removed + open(name).sweep(), 0);
  }

  return { maxObjectBytes, open, sweep };
}

const bucketPattern = /^b-[0-9a-f]{24}$/;

/**
 * @param tenantId - 24 lower-case hex digits.
 * @throws {RangeError} for anything else: a bucket is also the name of a folder.
 */
export function bucketName(tenantId: string): string {
  const bucket = `b-${tenantId}`;
  if (bucketPattern.test(bucket)) return bucket;
  throw new RangeError('A tenant id has 24 lower-case hex digits.');
}

/** The file of an object, relative to the folder of all buckets, with slashes. */
export function objectPath(bucket: string, key: string): string {
  return `${bucket}/objects/${objectFile(key)}`;
}

function openBucket(
  home: string,
  settings: BucketsSettings & { readonly maxObjectBytes: number },
): Bucket {
  const { root, maxObjectBytes, quotaBytes = 0, now = () => new Date() } = settings;
  const { fileSystem: fs = promises } = settings;
  const [incoming, folder] = [join(home, 'incoming'), join(home, 'objects')];
  const quota = createQuota({ quotaBytes, count: () => onDisk(() => bytesIn(fs, folder)), now });
  const publisher = createPublisher({ fs, root, incoming, quota, maxObjectBytes, now });
  return {
    objects: createObjectFiles({ fs, folder, publisher }),
    sweep: () => onDiskSync(() => sweepIncoming(incoming) + sweepMultipart(join(home, 'uploads'))),
  };
}

/**
 * Removes the files of multipart uploads, `<id>.upload` and `<id>.00001`, which only older versions could complete.
 *
 * @returns how many files were removed.
 */
function sweepMultipart(folder: string): number {
  const names = namesInSync(folder).filter((name) => /^[0-9a-f]{32}\.(upload|\d{5})$/.test(name));
  return names.filter((name) => removeSync(join(folder, name))).length;
}

/** What counts against a quota. */
async function bytesIn(fs: FileSystem, objects: string): Promise<number> {
  let bytes = 0;
  for (const shard of await namesIn(fs, objects, shardPattern)) {
    const folder = join(objects, shard);
    const names = await namesIn(fs, folder, objectPattern);
    const files = await Promise.all(
      names.map((name) => nullIfMissing(() => fs.stat(join(folder, name)))),
    );
    bytes += files.reduce((sum, file) => sum + (file?.size ?? 0), 0);
  }
  return bytes;
}
