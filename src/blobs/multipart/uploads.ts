/**
 * Uploads in parts, one bucket's. A part is a file like any object's; completing copies the parts into one object, which
 * becomes visible in one step, so that a crash at any point leaves the upload as it was, or the object. Within one
 * process the acts on one upload take turns; parts come through the door alone, and a data folder has one server.
 *
 * @see Amazon S3 User Guide, "Uploading and copying objects using multipart upload".
 */

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { checkKey } from '../checks.ts';
import { defaultContentType } from '../defaults.ts';
import { type FileSystem, namesIn, onDisk } from '../files/disk.ts';
import type { ObjectFiles, ObjectToWrite } from '../files/object-files.ts';
import { openObject } from '../files/open-object.ts';
import type { NewFile, Place, Publisher } from '../files/publisher.ts';
import type { ObjectRecord } from '../files/record.ts';
import type { Turns } from '../files/turns.ts';
import type { NewObject } from '../files/write-object.ts';
import { Refusal } from '../refusal.ts';
import { createPartFiles, type Part, type Watch } from './part-files.ts';
import {
  isUploadId,
  newUploadId,
  partName,
  uploadFilePattern,
  uploadName,
  uploadOf,
} from './upload-names.ts';

export interface Upload {
  readonly id: string;
  readonly key: string;
  readonly startedAt: Date;
  /** What the object will be given. */
  readonly facts: Pick<NewObject, 'contentType' | 'headers'>;
}

export interface Completion
  extends Pick<ObjectToWrite, 'ifAbsent' | 'mayReplace' | 'beforeCommit'> {
  /** Which parts make the object, in this order. May refuse. */
  readonly choose: (parts: readonly Part[]) => readonly Part[];
  readonly watch?: Watch;
}

export interface Uploads {
  create(key: string, facts: Upload['facts']): Promise<Upload>;
  /** @throws {Refusal} `NoSuchUpload` also for the upload of another key. */
  find(id: string, key: string): Promise<Upload>;
  /** Replaces the part of this number. @throws {Refusal} `NoSuchUpload`, `EntityTooLarge` for all parts together. */
  putPart(
    upload: Upload,
    number: number,
    part: Pick<NewFile, 'source' | 'announcedBytes' | 'beforeCommit'>,
  ): Promise<ObjectRecord>;
  /** By number. */
  parts(upload: Upload): Promise<Part[]>;
  /** Of several at once, one succeeds. @throws {Refusal} `NoSuchUpload`, or what `choose` throws. */
  complete(upload: Upload, completion: Completion): Promise<ObjectRecord>;
  /** @throws {Refusal} `NoSuchUpload`. */
  abort(upload: Upload): Promise<void>;
  /** Every upload that is neither completed nor aborted, in no order. */
  all(): AsyncGenerator<Upload>;
}

export interface UploadsSettings {
  readonly fs: FileSystem;
  /** The folder of the uploads. */
  readonly folder: string;
  readonly objects: ObjectFiles;
  readonly publisher: Publisher;
  /** Takes no room: what it writes replaces the parts. */
  readonly mover: Publisher;
  readonly turns: Turns;
  /** All parts together. */
  readonly maxObjectBytes: number;
  readonly now: () => Date;
}

export function createUploads(settings: UploadsSettings): Uploads {
  const { fs, folder, objects, publisher, mover, turns, maxObjectBytes, now } = settings;

  const partFiles = createPartFiles(fs, folder);
  const pathOf = (name: string) => join(folder, name);
  const placeOf = (name: string, turn = pathOf(name)): Place => ({
    folder,
    path: pathOf(name),
    turn,
  });

  async function create(key: string, facts: Upload['facts']): Promise<Upload> {
    checkKey(key);
    const id = newUploadId(now());
    const file = { ...facts, key, source: nothing() };
    const { createdAt } = await publisher.put(placeOf(uploadName(id)), file);
    return { id, key, startedAt: createdAt, facts };
  }

  async function readUpload(id: string): Promise<Upload | null> {
    const path = pathOf(uploadName(id));
    const file = await onDisk(() => openObject(fs, path, () => true));
    await file?.close();
    if (file === null) return null;
    const { key, createdAt, contentType, headers } = file.record;
    return { id, key, startedAt: createdAt, facts: { contentType, headers } };
  }

  async function find(id: string, key: string): Promise<Upload> {
    const upload = isUploadId(id) ? await readUpload(id) : null;
    if (upload?.key !== key) throw new Refusal('NoSuchUpload');
    return upload;
  }

  async function putPart(
    upload: Upload,
    number: number,
    part: Pick<NewFile, 'source' | 'announcedBytes' | 'beforeCommit'>,
  ): Promise<ObjectRecord> {
    const { id } = upload;
    const name = partName(id, number);
    await checkSize(id, number, part.announcedBytes ?? 0);
    return publisher.put(placeOf(name, id), {
      ...part,
      key: name,
      contentType: defaultContentType,
      async beforePublish({ sizeBytes }) {
        // Meanwhile the upload may have been finished, or other parts may have come.
        await find(id, upload.key);
        await checkSize(id, number, sizeBytes);
      },
    });
  }

  async function checkSize(id: string, number: number, bytes: number): Promise<void> {
    const total = bytes + (await partFiles.sizeBeside(id, number));
    if (total > maxObjectBytes) throw new Refusal('EntityTooLarge');
  }

  async function complete(upload: Upload, completion: Completion): Promise<ObjectRecord> {
    const { choose, watch, ...conditions } = completion;
    return turns(upload.id, async () => {
      const { facts } = await find(upload.id, upload.key);
      const chosen = choose(await partFiles.list(upload.id));
      const source = partFiles.bytes(upload.id, chosen, watch);
      const object = { ...facts, ...conditions, source, etag: etagOf(chosen) };
      const record = await objects.write(upload.key, object, mover);
      // The object is there: that its parts cannot be removed now is no failure of the upload.
      await remove(upload.id).catch(() => undefined);
      return record;
    });
  }

  async function abort({ id, key }: Upload): Promise<void> {
    await turns(id, async () => {
      await find(id, key);
      await remove(id);
    });
  }

  async function remove(id: string): Promise<void> {
    const names = await partFiles.names(id);
    await publisher.remove(placeOf(uploadName(id)));
    for (const name of names) await publisher.discard(pathOf(name));
  }

  async function* all(): AsyncGenerator<Upload> {
    for (const name of await onDisk(() => namesIn(fs, folder, uploadFilePattern))) {
      const id = uploadOf(name);
      const upload = id === null ? null : await readUpload(id);
      if (upload !== null) yield upload;
    }
  }

  const parts = ({ id }: Upload) => partFiles.list(id);

  return { create, find, putPart, parts, complete, abort, all };
}

/** MD5 of the parts' MD5s, and how many there were: what S3 answers and clients compare. */
function etagOf(parts: readonly Part[]): string {
  const md5 = createHash('md5');
  for (const part of parts) md5.update(part.md5, 'hex');
  return `${md5.digest('hex')}-${parts.length}`;
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
