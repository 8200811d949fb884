import { describe, expect, test } from 'vitest';
import { decodePicture } from '../../../src/image/decode.ts';
import { readJpeg } from '../../../src/image/jpeg-structure.ts';
import { formatFile } from '../../fixtures/formats.ts';
import { jpegSegment, withSegments } from '../../fixtures/jpeg-segments.ts';
import { drawScene, fromScene, sceneJpeg, scenePng } from '../../fixtures/pictures.ts';
import { pngChunk, splitPng, withChunks } from '../../fixtures/png-chunks.ts';
import { refusal } from '../../fixtures/refusal.ts';

const size = { width: 160, height: 200, seed: 6 };
const jpeg = await sceneJpeg({ ...size, quality: 85 });
const restarts = await formatFile('restarts.jpg');
const png = await scenePng(size);
const whole = { jpeg: await decodePicture(jpeg), png: await decodePicture(png) };

describe('irregularities that viewers tolerate decode to the same pixels, with a note', () => {
  const scan = readJpeg(jpeg).structure.segments.find(({ label }) => label === 'SOS')!;
  const parameters = scan.offset + scan.sizeBytes - 2;
  const jfif = jpegSegment(0xe0, Buffer.from('JFIF\0\x02\x01\0\0\x01\0\x01\0\0', 'latin1'));
  const adobe = jpegSegment(0xee, Buffer.from('Adobe\0\x64\0\0\0\0\x07', 'latin1'));

  test.each([
    ['scan parameters 0, 0, 0', 'scan_parameters', edited(jpeg, parameters, 0)],
    ['JFIF 2.01', 'jfif_version', withSegments(jpeg, jfif)],
    ['an Adobe transform 7', 'adobe_transform', withSegments(jpeg, adobe)],
    ['no end marker', 'end_marker_missing', jpeg.subarray(0, -2)],
    ['zeros for an end marker', 'end_marker_missing', padded(jpeg.subarray(0, -2), 4096)],
  ])('a JPEG with %s', async (_, note, file) => {
    const { facts, rgb } = await decodePicture(file);

    expect(facts.notes).toEqual([note]);
    expect(Buffer.from(rgb).equals(whole.jpeg.rgb)).toBe(true);
  });

  test('a CMYK JPEG with a damaged profile', async () => {
    const cmyk = await fromScene(drawScene(size)).toColourspace('cmyk').jpeg().toBuffer();
    const profile = jpegSegment(0xe2, Buffer.from(`ICC_PROFILE\0\x01\x01${'x'.repeat(200)}`));

    const { facts } = await decodePicture(withSegments(cmyk, profile));

    expect(facts.notes).toEqual(['converted_from_cmyk']);
  });

  const text = pngChunk('tEXt', 'Comment\0hello');
  const wrongText = edited(text, text.length - 1, 1);

  test.each([
    ['no end', ['end_marker_missing'], png.subarray(0, -12)],
    ['half an end', ['end_marker_missing'], png.subarray(0, -9)],
    ['rubbish for an end', ['end_marker_missing'], padded(png.subarray(0, -12), 40)],
    ['a wrong checksum of its pixels', ['checksum_wrong'], edited(png, png.length - 13, 1)],
    ['a wrong checksum of a text', ['chunk_ignored'], withChunks(png, wrongText)],
    ['a palette that RGB does not need', [], withChunks(png, pngChunk('PLTE', 'abcde'))],
  ])('a PNG with %s', async (_, notes, file) => {
    const { facts, rgb } = await decodePicture(file);

    expect(facts.notes).toEqual(notes);
    expect(Buffer.from(rgb).equals(whole.png.rgb)).toBe(true);
  });
});

describe('a file that ends early', () => {
  test.each([
    ['JPEG', jpeg, whole.jpeg],
    ['PNG', png, whole.png],
  ])(
    '%s is shown if 90% of its rows are intact, and refused with fewer',
    async (_, file, reference) => {
      const { rgb } = reference;
      const { facts, rgb: shown } = await decodePicture(file.subarray(0, -file.length / 50));

      const end = 3 * size.width * (Math.floor(facts.soundShare! * size.height) - 1);
      expect(facts.soundShare).toBeGreaterThan(0.9);
      expect(facts.soundShare).toBeLessThan(1);
      expect(facts.notes).toEqual(['end_marker_missing', 'rows_missing']);
      expect(Buffer.from(shown.subarray(0, end)).equals(rgb.subarray(0, end))).toBe(true);

      await expect(decodePicture(file.subarray(0, file.length / 2))).rejects.toEqual(
        refusal('image_unreadable', /only the first [3-6]\d% of its rows are intact/),
      );
    },
  );

  test('a progressive JPEG without its last scans is refused', async () => {
    const file = await fromScene(drawScene(size)).jpeg({ progressive: true }).toBuffer();

    const decoding = decodePicture(file.subarray(0, 0.6 * file.length));

    await expect(decoding).rejects.toEqual(refusal('image_unreadable'));
  });

  test('a JPEG with an invalid code is intact up to it', async () => {
    const scan = jpeg.indexOf(Buffer.from([0xff, 0xda]));
    const bad = Buffer.from(jpeg);
    bad.fill(0xfe, scan + Math.floor(0.97 * (jpeg.length - scan)), jpeg.length - 40);

    const { facts } = await decodePicture(bad);

    expect(facts.notes).toEqual(['rows_missing']);
    expect(facts.soundShare).toBeGreaterThan(0.9);
  });

  test.each([
    ['zeros', jpeg, (file: Buffer, at: number) => file.fill(0, at, at + 512)],
    [
      'zeros, with restart markers',
      restarts,
      (file: Buffer, at: number) => file.fill(0, at, at + 300),
    ],
    ['missing bytes', jpeg, (file: Buffer, at: number) => without(file, at, 600)],
    [
      'missing bytes, with restart markers',
      restarts,
      (file: Buffer, at: number) => without(file, at, 600),
    ],
  ])('a JPEG with %s in the middle is refused', async (_, file, damage) => {
    const damaged = damage(Buffer.from(file), file.length >> 1);

    await expect(decodePicture(damaged)).rejects.toEqual(refusal('image_unreadable'));
  });

  test('a PNG damaged in transit is intact up to the chunk with the wrong checksum', async () => {
    const file = inChunks(png, 12);
    const broken = Buffer.from(file.bytes);
    broken[file.lastData + 20]! ^= 255;

    const { facts } = await decodePicture(broken);

    expect(facts.notes).toContain('rows_missing');
    expect(facts.soundShare).toBeGreaterThan(0.9);
  });
});

function edited(file: Uint8Array, at: number, value: number): Buffer {
  const copy = Buffer.from(file);
  copy[at] = copy[at] === value ? value + 1 : value;
  return copy;
}

function padded(file: Uint8Array, zeros: number): Buffer {
  return Buffer.concat([file, Buffer.alloc(zeros)]);
}

function without(file: Buffer, at: number, count: number): Buffer {
  return Buffer.concat([file.subarray(0, at), file.subarray(at + count)]);
}

/** Spreads the picture's data over this many chunks. */
function inChunks(file: Buffer, count: number) {
  const chunks = splitPng(file);
  const data = Buffer.concat(
    chunks.filter(({ type }) => type === 'IDAT').map(({ bytes }) => bytes.subarray(8, -4)),
  );
  const step = Math.ceil(data.length / count);
  const parts = Array.from({ length: count }, (_, i) =>
    pngChunk('IDAT', data.subarray(i * step, (i + 1) * step)),
  );
  const bytes = Buffer.concat([file.subarray(0, 33), ...parts, pngChunk('IEND', '')]);
  return { bytes, lastData: bytes.lastIndexOf('IDAT') };
}
