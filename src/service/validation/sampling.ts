/** Chooses which files to measure: identical files only once, and none that is in both folders. */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { pathOf } from '../../ports/files/byte-names.ts';
import { groupBy } from './statistics.ts';

export interface LabelledFile {
  readonly path: string;
  readonly isFake: boolean;
  /** Sub-folder within its class; empty for none. */
  readonly folder: string;
}

export interface Choice<File extends LabelledFile> {
  /** Both classes evenly interleaved, so that the elapsed time predicts the remaining time. */
  readonly chosen: readonly File[];
  /** Files with identical bytes under both labels. One label must be wrong, so neither is measured. */
  readonly inBoth: readonly File[];
  /** Other files with the same bytes as one of their class. */
  readonly repeated: readonly File[];
}

/** Unreadable files are kept; opening them for measurement reports why they cannot be read. */
export async function chooseFiles<File extends LabelledFile>(
  files: readonly File[],
): Promise<Choice<File>> {
  const { distinct, inBoth, repeated } = await partRepeated(files);
  const classes = [false, true].map((isFake) => distinct.filter((file) => file.isFake === isFake));
  return { chosen: mixed(classes), inBoth, repeated };
}

async function partRepeated<File extends LabelledFile>(files: readonly File[]) {
  const distinct: File[] = [];
  const inBoth: File[] = [];
  const repeated: File[] = [];
  for (const same of (await groupSame(files)).values()) {
    const [first, ...others] = same;
    if (others.some(({ isFake }) => isFake !== first!.isFake)) inBoth.push(...same);
    else {
      distinct.push(first!);
      repeated.push(...others);
    }
  }
  return { distinct, inBoth, repeated };
}

/** Only files of equal size can be identical, so only those are read. */
async function groupSame<File extends LabelledFile>(
  files: readonly File[],
): Promise<ReadonlyMap<string, readonly File[]>> {
  const sized: { readonly file: File; readonly size: string }[] = [];
  for (const file of files) {
    const found = await stat(pathOf(file.path)).catch(() => null);
    sized.push({ file, size: found?.isFile() ? String(found.size) : file.path });
  }
  const groups = new Map<string, readonly File[]>();
  for (const [size, some] of groupBy(sized, (each) => each.size)) {
    const alike = some.map(({ file }) => file);
    if (alike.length === 1) groups.set(size, alike);
    else for (const [key, same] of await groupByContent(alike)) groups.set(key, same);
  }
  return groups;
}

async function groupByContent<File extends LabelledFile>(files: readonly File[]) {
  const hashed: { readonly file: File; readonly key: string }[] = [];
  for (const file of files) hashed.push({ file, key: await contentKey(file.path) });
  const groups = groupBy(hashed, ({ key }) => key);
  return [...groups].map(([key, some]) => [key, some.map(({ file }) => file)] as const);
}

/** SHA-256 in lower-case hex; for an unreadable file its path, which is unique. */
async function contentKey(path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(pathOf(path)), hash);
    return hash.digest('hex');
  } catch {
    // The error is not lost: measuring opens the file again and reports it.
    return path;
  }
}

function mixed<File>(classes: readonly (readonly File[])[]): readonly File[] {
  return classes
    .flatMap((files) => files.map((file, at) => ({ file, place: (at + 0.5) / files.length })))
    .toSorted((one, other) => one.place - other.place)
    .map(({ file }) => file);
}
