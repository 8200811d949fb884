/** Reads and decodes a picture from a path or from bytes; errors show whether reading or decoding failed. */

import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { failure } from '../contract/errors.ts';
import { pathOf, shownName } from '../ports/files/byte-names.ts';
import { toReadFailure } from '../ports/files/files.ts';
import { checkSizeBytes } from '../image/container.ts';
import { decodePicture } from '../image/decode.ts';
import type { Limits, PictureSource } from '../image/picture.ts';

/** @throws {ForensicsError} `file_*` if the path cannot be read, `image_*` when the content is not a usable picture. */
export async function openPicture(source: PictureSource, limits: Limits) {
  const bytes = await readSource(source, limits);
  const name = 'path' in source ? shownName(basename(source.path)) : source.name;
  return { bytes, picture: await decodePicture(bytes, { ...(name && { name }), limits }) };
}

/** @throws {ForensicsError} `file_*`, `image_empty`, `image_too_many_bytes`. */
export async function readSource(source: PictureSource, limits: Limits): Promise<Uint8Array> {
  if ('bytes' in source) return source.bytes;
  const { path } = source;
  try {
    // Checked before opening, because opening a pipe would wait for a writer, and reading a device would never end.
    const found = await stat(pathOf(path));
    if (found.isDirectory()) throw failure('folder', {});
    if (!found.isFile()) throw failure('device', {});
    checkSizeBytes(found.size, limits);
    return await readFile(pathOf(path));
  } catch (error) {
    throw toReadFailure(error);
  }
}
