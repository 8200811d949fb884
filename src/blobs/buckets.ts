/**
 * The folders of the embedded store: one a bucket, with its objects, its uploads in parts, and how much it may hold. The
 * stores and the door of a process share them, so that both see one count and take turns.
 */

import * as promises from 'node:fs/promises';
import { join } from 'node:path';
import { isBucketName } from './credentials.ts';
import { defaultMaxObjectBytes } from './defaults.ts';
import { type FileSystem, ifThere, namesIn, onDisk, onDiskNow } from './files/disk.ts';
import { createFolders } from './files/folders.ts';
import { sweepIncoming } from './files/incoming.ts';
import {
  createObjectFiles,
  objectFileOf,
  type ObjectFiles,
  objectPattern,
  shardPattern,
} from './files/object-files.ts';
import { createPublisher } from './files/publisher.ts';
import { createSpace, withoutClaims } from './files/space.ts';
import { namesNow } from './files/sweeping.ts';
import { createTurns } from './files/turns.ts';
import { uploadFilePattern, sweepUploads } from './multipart/upload-names.ts';
import { createUploads, type Uploads } from './multipart/uploads.ts';

export interface BucketsSettings {
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

export interface Bucket {
  readonly objects: ObjectFiles;
  readonly uploads: Uploads;
  /** @returns how many files were removed that dead writers or abandoned uploads left. @throws {ForensicsError} `store_unavailable`. */
  sweep(): number;
}

export interface Buckets {
  readonly maxObjectBytes: number;
  /** Opening changes nothing on the disk. @throws {RangeError} for what is no name of a bucket. */
  of(name: string): Bucket;
  /** Sweeps every bucket. @throws {ForensicsError} `store_unavailable`. */
  sweep(): number;
}

export function createBuckets(settings: BucketsSettings): Buckets {
  const { root, maxObjectBytes = defaultMaxObjectBytes } = settings;
  const opened = new Map<string, Bucket>();

  function of(name: string): Bucket {
    if (!isBucketName(name)) throw new RangeError('Not the name of a bucket.');
    const bucket =
      opened.get(name) ?? openBucket(join(root, name), { ...settings, maxObjectBytes });
    opened.set(name, bucket);
    return bucket;
  }

  function sweep(): number {
    const names = onDiskNow(() => namesNow(root)).filter(isBucketName);
    return names.reduce((removed, name) => removed + of(name).sweep(), 0);
  }

  return { maxObjectBytes, of, sweep };
}

/** Where the file of an object lies below the folder of all buckets, parted by slashes. */
export function objectPath(bucket: string, key: string): string {
  return `${bucket}/objects/${objectFileOf(key)}`;
}

function openBucket(
  home: string,
  settings: BucketsSettings & { readonly maxObjectBytes: number },
): Bucket {
  const { root, maxObjectBytes, quotaBytes = 0, now = () => new Date() } = settings;
  const { fileSystem: fs = promises } = settings;
  const incoming = join(home, 'incoming');
  const folders = { objects: join(home, 'objects'), uploads: join(home, 'uploads') };
  const count = () => onDisk(() => bytesIn(fs, folders));
  const space = createSpace({ quotaBytes, count, now });
  const turns = createTurns();
  const common = { fs, folders: createFolders(fs, root), incoming, turns, maxObjectBytes, now };
  const publisher = createPublisher({ ...common, space });
  const mover = createPublisher({ ...common, space: withoutClaims(space) });
  const objects = createObjectFiles({ fs, folder: folders.objects, publisher });
  return {
    objects,
    uploads: createUploads({ ...common, folder: folders.uploads, objects, publisher, mover }),
    sweep: () => onDiskNow(() => sweepIncoming(incoming) + sweepUploads(folders.uploads)),
  };
}

/** What counts against a quota. */
async function bytesIn(
  fs: FileSystem,
  { objects, uploads }: { readonly objects: string; readonly uploads: string },
): Promise<number> {
  let bytes = await sizeOf(fs, uploads, uploadFilePattern);
  for (const shard of await namesIn(fs, objects, shardPattern)) {
    bytes += await sizeOf(fs, join(objects, shard), objectPattern);
  }
  return bytes;
}

async function sizeOf(fs: FileSystem, folder: string, pattern: RegExp): Promise<number> {
  const names = await namesIn(fs, folder, pattern);
  const files = await Promise.all(names.map((name) => ifThere(() => fs.stat(join(folder, name)))));
  return files.reduce((bytes, file) => bytes + (file?.size ?? 0), 0);
}
