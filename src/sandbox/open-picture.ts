/** From a path or bytes to a decoded picture, with errors that say which of the two went wrong. */

import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Examination } from '../engine/result.ts';
import { ForensicsError } from '../errors.ts';
import { toReadFailure } from '../files/system-errors.ts';
import { decodePicture } from '../image/decode.ts';
import { checkSizeBytes, type Limits, type Picture } from '../image/picture.ts';
import type { ExamineRequest, PictureSource } from './sandbox.ts';

export interface OpenPicture {
  readonly bytes: Uint8Array;
  readonly picture: Picture;
}

/** @throws {ForensicsError} `file_*` when the path cannot be read, `image_*` when the content is no usable picture. */
export async function openSource(source: PictureSource, limits: Limits): Promise<OpenPicture> {
  if ('bytes' in source) {
    const { bytes, ...named } = source;
    return { bytes, picture: await decodePicture(bytes, { ...named, limits }) };
  }
  const bytes = await readBytes(source.path, limits);
  return { bytes, picture: await decodePicture(bytes, { name: basename(source.path), limits }) };
}

async function readBytes(path: string, limits: Limits): Promise<Uint8Array> {
  try {
    // Looked at before it is opened: opening a pipe would wait for a writer, reading a disk would never end.
    const found = await stat(path);
    if (found.isDirectory()) {
      throw new ForensicsError('file_is_directory', 'This is a folder; name a picture inside it.');
    }
    if (!found.isFile()) {
      const message = 'This is a device or pipe; save the picture to a file.';
      throw new ForensicsError('file_not_readable', message);
    }
    checkSizeBytes(found.size, limits);
    return await readFile(path);
  } catch (error) {
    throw toReadFailure(error);
  }
}

/**
 * @throws {ForensicsError} `image_not_as_declared` when the picture has another format, or neither the upright nor the
 * stored size that was declared.
 */
export function checkDeclared({ facts }: Picture, declared: ExamineRequest['declared']): void {
  if (!declared) return;
  if (facts.format !== declared.format) {
    throw notAsDeclared(`a ${declared.format} file`, `a ${facts.format} file`);
  }
  const isUpright = facts.width === declared.width && facts.height === declared.height;
  const isStored = facts.storedWidth === declared.width && facts.storedHeight === declared.height;
  if (isUpright || isStored) return;
  throw notAsDeclared(
    `${declared.width} x ${declared.height} pixels`,
    `${facts.width} x ${facts.height} pixels`,
  );
}

function notAsDeclared(declared: string, found: string): ForensicsError {
  return new ForensicsError(
    'image_not_as_declared',
    `The picture was declared as ${declared} but is ${found}; declare what it is or upload the right file.`,
  );
}

/**
 * Heatmaps of one picture drawn over another would be a forged exhibit.
 *
 * @throws {ForensicsError} `image_not_as_declared`.
 */
export function checkSame({ facts }: Picture, examination: Pick<Examination, 'facts'>): void {
  if (facts.sha256 === examination.facts.sha256) return;
  throw new ForensicsError(
    'image_not_as_declared',
    'This file is not the one that was examined: its SHA-256 differs; examine it anew.',
  );
}
