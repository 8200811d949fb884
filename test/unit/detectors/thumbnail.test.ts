import sharp, { type OverlayOptions, type Sharp } from 'sharp';
import { describe, expect, test } from 'vitest';
import { thumbnail } from '../../../src/detectors/thumbnail.ts';
import { decodePicture } from '../../../src/image/decode.ts';
import { exifSegment } from '../../fixtures/exif.ts';
import { withSegments } from '../../fixtures/jpeg-segments.ts';
import { createRandom, gaussianTable } from '../../fixtures/noise.ts';
import { fromScene, sceneJpeg } from '../../fixtures/pictures.ts';
import { inputWith, worded } from './input.ts';

async function examine(jpeg: Buffer, parts: Parameters<typeof exifSegment>[0]) {
  const picture = await decodePicture(withSegments(jpeg, exifSegment(parts)));
  return worded(thumbnail.examine(inputWith(picture)));
}

const scene = { width: 640, height: 480, quality: 90 };

function small(picture: Buffer) {
  return sharp(picture).resize(160).jpeg({ quality: 70 }).toBuffer();
}

/** Pastes a square of another texture into the lower right. */
async function tampered(picture: Buffer): Promise<Buffer> {
  const square = { left: 200, top: 100, width: 120, height: 120 };
  const other = sharp(await sceneJpeg({ ...scene, seed: 77 })).extract(square);
  return pasted(picture, {
    input: await other.linear(1, 60).png().toBuffer(),
    left: 480,
    top: 320,
  });
}

function withStrip(picture: Buffer, top: number): Promise<Buffer> {
  const input = { create: { width: 640, height: 30, channels: 3, background: '#fff' } } as const;
  return pasted(picture, { input, left: 0, top });
}

function pasted(picture: Buffer, part: OverlayOptions): Promise<Buffer> {
  return sharp(picture).composite([part]).jpeg({ quality: 85 }).toBuffer();
}

/** A thumbnail of 160 by 120 pixels in which blocks of 8 pixels are too dark or too bright. */
async function withScatter(thumb: Buffer, levels: number): Promise<Buffer> {
  const random = createRandom(3);
  const normal = gaussianTable(random);
  const shift = () => levels * normal[Math.floor(65_536 * random())]!;
  const blocks = Array.from({ length: 20 * 15 }, shift);
  const rgb = (await sharp(thumb).raw().toBuffer()).map((value, at) => {
    const [x, y] = [Math.floor(at / 3) % 160, Math.floor(at / 480)];
    return Math.max(0, Math.min(255, value + blocks[20 * (y >> 3) + (x >> 3)]!));
  });
  return fromScene({ width: 160, height: 120, rgb }).jpeg({ quality: 95 }).toBuffer();
}

describe("the camera's thumbnail", () => {
  test.each([4, 8])('has a scatter of %i grey levels, which is measured', async (levels) => {
    const picture = await sceneJpeg({ ...scene, seed: 5 });
    const own = await withScatter(await small(picture), levels);

    const answer = await examine(picture, { thumbnail: own });

    if (!('map' in answer)) throw new Error('skipped');
    expect(Math.round(answer.finding.measures['scatter']!)).toBe(levels);
  });

  test.each([1, 2, 3, 4])('reveals a pasted square, scene %i', async (seed) => {
    const before = await sceneJpeg({ ...scene, seed });

    const answer = await examine(await tampered(before), { thumbnail: await small(before) });

    if (!('map' in answer)) throw new Error('skipped');
    const { map, finding } = answer;
    const inside = insideOf(map, { left: 500, top: 340, right: 580, bottom: 420 });
    const outside = insideOf(map, { left: 0, top: 0, right: 460, bottom: 480 });
    expect(finding).toMatchObject({ speaksFor: 'fake', strength: 'moderate' });
    // Not all cells: parts of the square are as bright as what it covers.
    expect(shareAbove(0.73, inside)).toBeGreaterThan(0.25);
    expect(shareAbove(0.73, outside)).toBe(0);
    expect(finding.measures['regionLeft']).toBeGreaterThan(450);
    expect(finding.measures['regionShare']).toBeLessThan(140 ** 2 / (640 * 480));
    expect(finding.measures['regionShare']).toBeGreaterThanOrEqual(0.015);
    expect(finding.statement.en).toMatch(/in the lower right\.$/);
    expect(finding.statement.de).toMatch(/rechts unten/);
  });

  test.each<[string, (image: Sharp) => Sharp]>([
    ['as it is', (image) => image],
    ['brighter and with less contrast', (image) => image.linear(0.8, 30)],
    ['under another gamma', (image) => image.gamma(1.6, 1.2)],
    ['sharpened', (image) => image.sharpen({ sigma: 1 })],
    ['saved badly', (image) => image.jpeg({ quality: 45 })],
    ['made of every fourth pixel', (image) => image.resize(160, 120, { kernel: 'nearest' })],
  ])('matches an untouched picture, %s', async (_, make) => {
    const picture = await sceneJpeg({ ...scene, seed: 5 });
    const made = await make(sharp(picture)).toBuffer();

    const answer = await examine(picture, { thumbnail: await small(made) });

    expect(answer).toMatchObject({ finding: { speaksFor: 'neither', score: 0.5 } });
  });

  test.each([
    ['the lower', 450],
    ['the upper', 0],
  ])('ignores a date along %s edge, which cameras add later', async (_, top) => {
    const before = await sceneJpeg({ ...scene, seed: 3 });

    const answer = await examine(await withStrip(before, top), { thumbnail: await small(before) });

    const statement = { en: expect.stringMatching(/^The embedded thumbnail differs .* strip/) };
    expect(answer).toMatchObject({ finding: { speaksFor: 'neither', score: 0.5, statement } });
  });

  test('reveals a strip further inside', async () => {
    const before = await sceneJpeg({ ...scene, seed: 3 });

    const answer = await examine(await withStrip(before, 400), { thumbnail: await small(before) });

    expect(answer).toMatchObject({ finding: { speaksFor: 'fake' } });
  });

  test('is compared in any orientation of the picture', async () => {
    const landscape = await sceneJpeg({ ...scene, seed: 6 });
    const parts = { primary: { 0x0112: 6 }, thumbnail: await small(landscape) };

    const answer = await examine(await tampered(landscape), parts);

    // The lower right of the stored picture is the lower left of the upright one.
    expect(answer).toMatchObject({
      finding: { speaksFor: 'fake', statement: { en: expect.stringMatching(/lower left\.$/) } },
    });
  });
});

const squared = (picture: Buffer) =>
  sharp(picture).resize(160, 160, { fit: 'cover' }).jpeg().toBuffer();
const smallOther = async () => small(await sceneJpeg({ ...scene, seed: 9 }));
const uniform = { width: 160, height: 120, channels: 3, background: '#777' } as const;

test.each<[string, (picture: Buffer) => Promise<Buffer> | Buffer | null, string]>([
  ['there is none', () => null, 'no thumbnail'],
  ['it cannot be read', () => Buffer.from('\xff\xd8\xff\xe0 not a picture', 'latin1'), 'read'],
  ['it has a different shape', squared, 'different shape'],
  ['it shows a different scene', smallOther, 'different picture'],
  ['it is uniform', () => sharp({ create: uniform }).jpeg().toBuffer(), 'uniform'],
])('the thumbnail is not compared if %s', async (_, make, reason) => {
  const picture = await sceneJpeg({ ...scene, seed: 1 });
  const own = await make(picture);

  expect(await examine(picture, own === null ? {} : { thumbnail: own })).toMatchObject({
    reason: { en: expect.stringContaining(reason) },
  });
});

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Values of the cells that lie entirely in the box. */
function insideOf(
  { cellPx, columns, values }: { cellPx: number; columns: number; values: Float32Array },
  { left, top, right, bottom }: Box,
): number[] {
  return [...values].filter((_, cell) => {
    const [x, y] = [(cell % columns) * cellPx, Math.floor(cell / columns) * cellPx];
    return x >= left && y >= top && x + cellPx <= right && y + cellPx <= bottom;
  });
}

function shareAbove(limit: number, values: readonly number[]): number {
  return values.filter((value) => value > limit).length / values.length;
}
