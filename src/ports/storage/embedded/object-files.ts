/** The objects of a bucket: one file each, named by the hash of its key, so that no key can be a path. */

import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { checkKey } from '../store.ts';
import { type FileSystem, nullIfMissing, onDisk } from './disk.ts';
import type { NewFile, Publisher } from './publish.ts';
import { damaged, type ObjectRecord, readRecord } from './record.ts';

/** `mayReplace` is given the object that will be replaced, null when there is none; throwing changes nothing. */
interface ObjectToWrite extends Omit<NewFile, 'key' | 'beforePublish'> {
  readonly mayReplace?: ((current: ObjectRecord | null) => void) | undefined;
}

export interface ObjectFiles {
  /** @throws {ForensicsError} `blob_too_large`, `conflict`, `no_space_left`, `store_unavailable`, or what `object` throws. */
  write(key: string, object: ObjectToWrite): Promise<ObjectRecord>;
  /** Null when there is none. The caller closes it. @throws {ForensicsError} `blob_damaged`, `store_unavailable`. */
  open(key: string): Promise<OpenObject | null>;
  /** Null when there is none. @throws {ForensicsError} `blob_damaged`, `store_unavailable`. */
  head(key: string): Promise<ObjectRecord | null>;
  /** Removing a missing object succeeds. `mayRemove` is given the object, null when there is none. */
  remove(key: string, mayRemove?: (current: ObjectRecord | null) => void): Promise<void>;
}

/** Stays readable until it is closed, even if its key is replaced or removed. */
export interface OpenObject {
  readonly record: ObjectRecord;
  /**
   * `length` bytes from `start`. The digest of a whole object is checked before its last block is returned; of a part only
   * the length can be checked.
   *
   * @throws {ForensicsError} `blob_damaged`, `store_unavailable`.
   */
  bytes(start: number, length: number): AsyncGenerator<Uint8Array>;
  close(): Promise<void>;
}

interface ObjectFilesSettings {
  readonly fs: FileSystem;
  /** The folder of the objects. */
  readonly folder: string;
  readonly publisher: Publisher;
}

export const shardPattern = /^[0-9a-f]{2}$/;
export const objectPattern = /^[0-9a-f]{64}$/;

export function createObjectFiles(settings: ObjectFilesSettings): ObjectFiles {
  const { fs, folder, publisher } = settings;

  function filePath(key: string): string {
    checkKey(key);
    return join(folder, objectFile(key));
  }

  async function write(
    key: string,
    { mayReplace, ...object }: ObjectToWrite,
  ): Promise<ObjectRecord> {
    const file: NewFile = { ...object, key };
    if (mayReplace === undefined) return publisher.put(filePath(key), file);
    const beforePublish = async () => mayReplace(await head(key));
    return publisher.put(filePath(key), { ...file, beforePublish });
  }

  async function open(key: string): Promise<OpenObject | null> {
    return onDisk(() => openObject(fs, filePath(key), key));
  }

  async function head(key: string): Promise<ObjectRecord | null> {
    const object = await open(key);
    await object?.close();
    return object?.record ?? null;
  }

  async function remove(
    key: string,
    mayRemove?: (current: ObjectRecord | null) => void,
  ): Promise<void> {
    const asked = mayRemove && (async () => mayRemove(await head(key)));
    await publisher.remove(filePath(key), asked);
  }

  return { write, open, head, remove };
}

/** Below the folder of the objects; no key can be a path. */
export function objectFile(key: string): string {
  const name = createHash('sha256').update(key).digest('hex');
  return `${name.slice(0, 2)}/${name}`;
}

const blockBytes = 65_536;

/** Null when there is no such file. @throws {ForensicsError} `blob_damaged`, also for the file of another key. */
async function openObject(fs: FileSystem, path: string, key: string): Promise<OpenObject | null> {
  const handle = await nullIfMissing(() => fs.open(path, 'r'));
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
