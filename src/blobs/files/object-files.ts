/**
 * The objects of a bucket: one file each, named by the hash of its key, so that no key can be a path. It knows nothing
 * of HTTP, signatures or tenants.
 */

import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { checkKey } from '../checks.ts';
import { type FileSystem, namesIn, onDisk } from './disk.ts';
import { type OpenObject, openObject } from './open-object.ts';
import type { NewFile, Place, Publisher } from './publisher.ts';
import type { ObjectRecord } from './record.ts';

/** An object as it is put: what `beforePublish` hears here is the object that will be replaced, null when there is none. */
export interface ObjectToWrite extends Omit<NewFile, 'key' | 'beforePublish'> {
  readonly mayReplace?: ((current: ObjectRecord | null) => void) | undefined;
}

export interface ObjectFiles {
  /**
   * @param publisher - Another one than the bucket's own for bytes that are in the bucket already.
   * @throws {ForensicsError} `blob_too_large`, `conflict`, `no_space_left`, `store_unavailable`, or what `object` throws.
   */
  write(key: string, object: ObjectToWrite, publisher?: Publisher): Promise<ObjectRecord>;
  /** Null when there is none. To be closed by the caller. @throws {ForensicsError} `blob_damaged`, `store_unavailable`. */
  open(key: string): Promise<OpenObject | null>;
  /** Null when there is none. @throws {ForensicsError} `blob_damaged`, `store_unavailable`. */
  head(key: string): Promise<ObjectRecord | null>;
  /** Removing what is not there succeeds. `mayRemove` hears of the object, null when there is none. */
  remove(key: string, mayRemove?: (current: ObjectRecord | null) => void): Promise<void>;
  /** Every object, in no order. @throws {ForensicsError} `blob_damaged`, `store_unavailable`. */
  records(): AsyncGenerator<ObjectRecord>;
}

export interface ObjectFilesSettings {
  readonly fs: FileSystem;
  /** The folder of the objects. */
  readonly folder: string;
  readonly publisher: Publisher;
}

export const shardPattern = /^[0-9a-f]{2}$/;
export const objectPattern = /^[0-9a-f]{64}$/;

export function createObjectFiles(settings: ObjectFilesSettings): ObjectFiles {
  const { fs, folder: objects, publisher: own } = settings;

  function placeOf(key: string): Place {
    checkKey(key);
    const path = join(objects, objectFileOf(key));
    return { folder: dirname(path), path, turn: path };
  }

  async function write(
    key: string,
    { mayReplace, ...object }: ObjectToWrite,
    publisher = own,
  ): Promise<ObjectRecord> {
    const file: NewFile = { ...object, key };
    if (mayReplace === undefined) return publisher.put(placeOf(key), file);
    const beforePublish = async () => mayReplace(await head(key));
    return publisher.put(placeOf(key), { ...file, beforePublish });
  }

  async function open(key: string): Promise<OpenObject | null> {
    return onDisk(() => openObject(fs, placeOf(key).path, (record) => record.key === key));
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
    await own.remove(placeOf(key), asked);
  }

  async function* records(): AsyncGenerator<ObjectRecord> {
    for (const shard of await onDisk(() => namesIn(fs, objects, shardPattern))) {
      const folder = join(objects, shard);
      for (const name of await onDisk(() => namesIn(fs, folder, objectPattern))) {
        const isOurs = (record: ObjectRecord) => fileName(record.key) === name;
        const object = await onDisk(() => openObject(fs, join(folder, name), isOurs));
        await object?.close();
        if (object !== null) yield object.record;
      }
    }
  }

  return { write, open, head, remove, records };
}

/** Below the folder of the objects; no key can be a path. */
export function objectFileOf(key: string): string {
  const name = fileName(key);
  return `${name.slice(0, 2)}/${name}`;
}

function fileName(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
