import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { type FileSystem, ifThere, onDisk } from './disk.ts';
import { damaged, type ObjectRecord, readRecord } from './record.ts';

/** An object that stays readable until it is closed, whatever happens to its key meanwhile. */
export interface OpenObject {
  readonly record: ObjectRecord;
  /**
   * `length` bytes from `start`. When that is the whole object, its digest is compared before the last block is given
   * away; of a part only the length can be checked.
   *
   * @throws {ForensicsError} `blob_damaged`, `store_unavailable`.
   */
  bytes(start: number, length: number): AsyncGenerator<Uint8Array>;
  close(): Promise<void>;
}

const blockBytes = 65_536;

/** Null when there is no such file. @throws {ForensicsError} `blob_damaged` also when `isExpected` says no. */
export async function openObject(
  fs: FileSystem,
  path: string,
  isExpected: (record: ObjectRecord) => boolean,
): Promise<OpenObject | null> {
  const handle = await ifThere(() => fs.open(path, 'r'));
  if (handle === null) return null;
  try {
    const record = await readRecord(handle);
    if (!isExpected(record)) throw damaged();
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
