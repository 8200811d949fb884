/** The parts of uploads as files of one folder. */

import { join } from 'node:path';
import { type FileSystem, ifThere, namesIn, onDisk } from '../files/disk.ts';
import { openObject } from '../files/open-object.ts';
import { damaged, type ObjectRecord } from '../files/record.ts';
import { partName, partOf, uploadFilePattern } from './upload-names.ts';

export interface Part extends Pick<ObjectRecord, 'sizeBytes' | 'md5' | 'createdAt'> {
  readonly number: number;
}

/** Sees the bytes of a part as they are copied. */
export type Watch = (part: Part, bytes: Uint8Array) => void;

export interface PartFiles {
  /** Of one upload, by number. */
  names(id: string): Promise<string[]>;
  /** Of one upload, by number. @throws {ForensicsError} `blob_damaged`, `store_unavailable`. */
  list(id: string): Promise<Part[]>;
  /** Bytes of the parts but that of this number, give or take what their facts take: never too many. */
  sizeBeside(id: string, number: number): Promise<number>;
  /** One part after the other. @throws {ForensicsError} `blob_damaged`, `store_unavailable`. */
  bytes(id: string, parts: readonly Part[], watch?: Watch): AsyncGenerator<Uint8Array>;
}

/** More than the facts of a part take in its file: parts that fit together are never refused for them. */
const maxFactsBytes = 512;

export function createPartFiles(fs: FileSystem, folder: string): PartFiles {
  async function names(id: string): Promise<string[]> {
    const found = await onDisk(() => namesIn(fs, folder, uploadFilePattern));
    return found.filter((name) => partOf(name, id) !== null).toSorted();
  }

  async function openPart(name: string) {
    return onDisk(() => openObject(fs, join(folder, name), ({ key }) => key === name));
  }

  async function list(id: string): Promise<Part[]> {
    const found: Part[] = [];
    for (const name of await names(id)) {
      const file = await openPart(name);
      await file?.close();
      const number = partOf(name, id);
      if (file !== null && number !== null) found.push({ ...file.record, number });
    }
    return found;
  }

  async function sizeBeside(id: string, number: number): Promise<number> {
    let total = 0;
    for (const name of await names(id)) {
      if (partOf(name, id) === number) continue;
      const file = await onDisk(() => ifThere(() => fs.stat(join(folder, name))));
      total += Math.max(0, (file?.size ?? 0) - maxFactsBytes);
    }
    return total;
  }

  async function* bytes(
    id: string,
    parts: readonly Part[],
    watch?: Watch,
  ): AsyncGenerator<Uint8Array> {
    for (const part of parts) {
      const file = await openPart(partName(id, part.number));
      if (file === null) throw damaged();
      try {
        for await (const block of file.bytes(0, part.sizeBytes)) {
          watch?.(part, block);
          yield block;
        }
      } finally {
        await file.close();
      }
    }
  }

  return { names, list, sizeBeside, bytes };
}
