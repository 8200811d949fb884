/** Files being written: their names, their bytes, and the removal of those whose writer died. */

import { createHash, randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { ForensicsError } from '../../../errors.ts';
import {
  type FileSystem,
  modifiedAtMs,
  namesInSync,
  onDisk,
  removeSync,
  systemCode,
} from './disk.ts';
import { encodeTail, type ObjectRecord } from './record.ts';

/** What is known about an object before its bytes arrive. */
export interface NewObject {
  readonly key: string;
  readonly contentType: string;
  /** Called when all bytes are written but not yet visible. Throwing changes nothing. */
  readonly beforeCommit?: (record: ObjectRecord) => void;
}

export interface WrittenFile {
  readonly record: ObjectRecord;
  readonly fileBytes: number;
}

interface Source {
  readonly bytes: AsyncIterable<unknown>;
  readonly maxBytes: number;
  readonly now: () => Date;
}

const blockBytes = 262_144;

/** Writes bytes and record to a new file at `path` and syncs it. On failure the caller removes the file. */
export async function writeObject(
  fs: FileSystem,
  path: string,
  object: NewObject,
  source: Source,
): Promise<WrittenFile> {
  const handle = await onDisk(() => fs.open(path, 'wx', 0o600));
  try {
    const record = await fill(handle, object, source);
    object.beforeCommit?.(record);
    const tail = encodeTail(record);
    await onDisk(() => writeAll(handle, tail));
    await onDisk(() => handle.sync());
    return { record, fileBytes: record.sizeBytes + tail.length };
  } finally {
    await onDisk(() => handle.close());
  }
}

async function fill(
  handle: FileHandle,
  { key, contentType }: NewObject,
  { bytes, maxBytes, now }: Source,
): Promise<ObjectRecord> {
  const [md5, sha256] = [createHash('md5'), createHash('sha256')];
  let sizeBytes = 0;
  for await (const block of inBlocks(limited(bytes, maxBytes))) {
    sizeBytes += block.length;
    md5.update(block);
    sha256.update(block);
    await onDisk(() => writeAll(handle, block));
  }
  const md5Hex = md5.digest('hex');
  return {
    key,
    contentType,
    sizeBytes,
    md5: md5Hex,
    etag: md5Hex,
    sha256: sha256.digest('hex'),
    createdAt: now(),
    headers: {},
  };
}

async function* limited(
  source: AsyncIterable<unknown>,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let sizeBytes = 0;
  for await (const chunk of source) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError('A stream of objects must give bytes.');
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) throw tooLarge(maxBytes);
    yield chunk;
  }
}

/** Few large writes are faster than many small ones, and a client must not choose how many. */
async function* inBlocks(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of source) {
    parts.push(part);
    bytes += part.length;
    if (bytes < blockBytes) continue;
    yield joined(parts);
    [parts, bytes] = [[], 0];
  }
  if (bytes > 0) yield joined(parts);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
}

/** One `write` may write fewer bytes than it was given. */
async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, at, bytes.length - at);
    at += bytesWritten;
  }
}

function tooLarge(maxBytes: number): ForensicsError {
  return new ForensicsError('blob_too_large', `An object has at most ${maxBytes} bytes.`);
}

/** Far longer than an upload may pause: such a file has no writer, whatever its name says. */
const abandonedAfterMs = 3_600_000;
const namePattern = /^([0-9a-f]{8})-(\d{1,9})-[0-9a-f]{24}\.part$/;

/** `<host>-<process>-<random>.part`: names its writer, so that a sweep spares files of live processes. */
export function incomingName(): string {
  return `${hostTag()}-${process.pid}-${randomBytes(12).toString('hex')}.part`;
}

/** Removes the files of dead writers. @returns how many files were removed. */
export function sweepIncoming(folder: string): number {
  return namesInSync(folder).filter(
    (name) => isLeftover(folder, name) && removeSync(join(folder, name)),
  ).length;
}

function isLeftover(folder: string, name: string): boolean {
  const touchedAt = modifiedAtMs(join(folder, name));
  const owner = namePattern.exec(name);
  // We did not create a file with another name.
  if (touchedAt === null || owner === null) return false;
  // File times come from the real clock, even if the store was given another one.
  if (Date.now() - touchedAt > abandonedAfterMs) return true;
  // Another machine on the same folder: only the age decides.
  if (owner[1] !== hostTag()) return false;
  const pid = Number(owner[2]);
  if (pid !== process.pid) return !isAlive(pid);
  // Our own process id: an earlier process had it if the file is older than this process.
  return touchedAt < Date.now() - process.uptime() * 1000;
}

function hostTag(): string {
  return createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs under another user.
    return systemCode(error) === 'EPERM';
  }
}
