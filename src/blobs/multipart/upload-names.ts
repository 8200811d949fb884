/**
 * Names of the files of uploads in parts, all in one folder: `<id>.upload` says what the object will be, `<id>.00001` is
 * its first part. An upload exists as long as its first file does; parts without it are leftovers.
 */

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { modifiedAtMs, namesNow, removeNow } from '../files/sweeping.ts';

export const maxPartNumber = 10_000;
/** As long as a presigned URL may live; counted from the beginning of the upload, as S3's lifecycle rules do. */
const abandonedAfterMs = 7 * 24 * 3_600_000;
const uploadPattern = /^([0-9a-f]{32})\.upload$/;
/** Every file of every upload. */
export const uploadFilePattern = /^[0-9a-f]{32}\.(upload|\d{5})$/;
const partPattern = /^([0-9a-f]{32})\.(\d{5})$/;

/** Time first: in the order of ids, uploads are in the order of their beginning. */
export function newUploadId(now: Date): string {
  return now.getTime().toString(16).padStart(12, '0') + randomBytes(10).toString('hex');
}

export function isUploadId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}

export function uploadName(id: string): string {
  return `${id}.upload`;
}

export function partName(id: string, number: number): string {
  return `${id}.${String(number).padStart(5, '0')}`;
}

/** The id, when it is the name of an upload's first file. */
export function uploadOf(name: string): string | null {
  return uploadPattern.exec(name)?.[1] ?? null;
}

/** The number, when it is the name of a part of this upload. */
export function partOf(name: string, id: string): number | null {
  const parts = partPattern.exec(name);
  return parts?.[1] === id ? Number(parts[2]) : null;
}

/** Removes uploads that nobody finished, and parts without an upload. @returns how many files were removed. */
export function sweepUploads(folder: string): number {
  const names = namesNow(folder);
  const uploads = names.filter((name) => uploadPattern.test(name));
  const abandoned = uploads.filter((name) => isAbandoned(join(folder, name)));
  const alive = new Set(uploads.filter((name) => !abandoned.includes(name)).map(uploadOf));
  const orphans = names.filter((name) => {
    const id = partPattern.exec(name)?.[1];
    return id !== undefined && !alive.has(id);
  });
  // Uploads before parts: a crash in between leaves parts without an upload, which the next sweep finds.
  return [...abandoned, ...orphans].filter((name) => removeNow(join(folder, name))).length;
}

function isAbandoned(path: string): boolean {
  const begunAt = modifiedAtMs(path);
  return begunAt !== null && Date.now() - begunAt > abandonedAfterMs;
}
