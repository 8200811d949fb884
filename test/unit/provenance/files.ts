/** Small real files with metadata, and what is read from them. */

import { decodePicture } from '../../../src/image/decode.ts';
import type { Declaration } from '../../../src/contract/provenance.ts';
import { readProvenance } from '../../../src/provenance/read-provenance.ts';
import { type ExifParts, exifSegment } from '../../fixtures/exif.ts';
import { jpegSegment, withSegments } from '../../fixtures/jpeg-segments.ts';
import { sceneJpeg, scenePng } from '../../fixtures/pictures.ts';
import { pngChunk, withChunks } from '../../fixtures/png-chunks.ts';
import { xmpSegment } from '../../fixtures/xmp.ts';

const size = { width: 96, height: 72, seed: 8 };
export const jpeg = await sceneJpeg(size);
export const png = await scenePng(size);

export const now = new Date('2026-06-01T00:00:00Z');

export async function provenanceOf(bytes: Buffer, trustList: string | null = null) {
  return readProvenance(bytes, await decodePicture(bytes), { trustList, now });
}

export async function declarationsOf(bytes: Buffer): Promise<readonly Declaration[]> {
  return (await provenanceOf(bytes)).declarations;
}

/** The contradictions of a file. */
export async function codesOf(file: Buffer): Promise<readonly string[]> {
  return (await provenanceOf(file)).inconsistencies.map(({ code }) => code);
}

/** A PNG with these texts in UTF-8. */
export function withTexts(texts: Readonly<Record<string, string>>): Buffer {
  const chunks = Object.entries(texts).map(([keyword, text]) =>
    pngChunk('iTXt', Buffer.from(`${keyword}\0\0\0\0\0${text}`)),
  );
  return withChunks(png, ...chunks);
}

export function withExif(parts: ExifParts): Buffer {
  return withSegments(jpeg, exifSegment(parts));
}

export function withXmp(packet: string | Uint8Array): Buffer {
  return withSegments(jpeg, xmpSegment(packet));
}

/** IPTC-IIM records of the second group: dataset number and text. */
export function withIptc(records: readonly (readonly [number, string])[]): Buffer {
  const body = Buffer.concat(
    records.map(([dataset, text]) =>
      Buffer.concat([Buffer.from([0x1c, 2, dataset, 0, text.length]), Buffer.from(text)]),
    ),
  );
  const head = Buffer.from('Photoshop 3.0\x008BIM\x04\x04\0\0\0\0\0', 'latin1');
  const even = body.length % 2 === 0 ? body : Buffer.concat([body, Buffer.from([0])]);
  return withSegments(
    jpeg,
    jpegSegment(0xed, Buffer.concat([head, Buffer.from([body.length]), even])),
  );
}

/** Whole numbers as the fractions of EXIF. */
export function wholes(...numbers: readonly number[]): readonly (readonly [number, number])[] {
  return numbers.map((number) => [number, 1]);
}
