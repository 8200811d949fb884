import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { align } from '../../../src/image/alignment.ts';
import { decodePicture } from '../../../src/image/decode.ts';
import {
  findFingerprint,
  packFingerprint,
  unpackFingerprint,
} from '../../../src/image/keypoints.ts';
import { createRandom } from '../../fixtures/noise.ts';
import { scenePng } from '../../fixtures/pictures.ts';

const width = 1200;
const height = 900;
const original = await scenePng({ width, height, seed: 3 });
const fingerprint = await fingerprintOf(original);

/** As stored and read again. */
async function fingerprintOf(bytes: Uint8Array) {
  return unpackFingerprint(packFingerprint(await findFingerprint(await decodePicture(bytes))));
}

const crop = { left: 250, top: 150, width: 840, height: 630 };
const band = { width, height: 130, channels: 3, background: '#222' } as const;
const note = [{ input: { create: band }, left: 0, top: 690 }];

/** Each with the scale that maps it to the original. */
const copies = {
  'saved as JPEG 60': [sharp(original).jpeg({ quality: 60 }), 1],
  'cropped to 70%': [sharp(original).extract(crop).jpeg(), 0.7],
  'made smaller': [sharp(original).resize(400).jpeg(), 1],
  'written on': [sharp(original).composite(note).jpeg(), 1],
} as const;

describe('a copy is recognised', () => {
  test.each(Object.entries(copies))('%s', async (_, [copy, scale]) => {
    const alignment = align(await fingerprintOf(await copy.toBuffer()), fingerprint);

    expect(alignment).toMatchObject({ isMirrored: false, scale: expect.closeTo(scale, 1) });
  });

  test('mirrored and cropped, with its position in the original', async () => {
    const copy = await sharp(original).extract(crop).flop().jpeg().toBuffer();

    const alignment = align(await fingerprintOf(copy), fingerprint);

    expect(alignment).toMatchObject({
      isMirrored: true,
      scale: expect.closeTo(crop.width / width, 2),
      left: expect.closeTo(crop.left / width, 2),
      top: expect.closeTo(crop.top / width, 2),
    });
  });

  test('in a screenshot of a phone', async () => {
    const inner = await sharp(original).resize(1080).toBuffer();
    const screen = { width: 1080, height: 2340, channels: 3, background: '#e5ddd5' } as const;
    const shot = sharp({ create: screen }).composite([{ input: inner, left: 0, top: 700 }]);

    expect(
      align(await fingerprintOf(await shot.jpeg({ quality: 85 }).toBuffer()), fingerprint),
    ).not.toBeNull();
  });
});

test('another picture is not', async () => {
  const others = [4, 5, 6, 7].map((seed) => scenePng({ width: 800, height: 600, seed }));

  for (const other of await Promise.all(others)) {
    expect(align(await fingerprintOf(other), fingerprint)).toBeNull();
  }
});

test.each([
  { matches: 12, of: 100, isShown: false },
  { matches: 18, of: 100, isShown: true },
  { matches: 24, of: 200, isShown: true },
])('$matches of $of common spots are the same picture: $isShown', ({ matches, of, isShown }) => {
  const random = createRandom(1);
  const spots = (count: number) =>
    Array.from({ length: count }, () => {
      const key = Math.floor(random() * 2 ** 32);
      return { key, weakBits: [0, 1] as const, x: random(), y: random(), size: 0.01 };
    });
  const common = spots(matches);
  const withOthers = () => ({
    width,
    height: width,
    keypoints: [...common, ...spots(of - matches)],
  });

  const alignment = align(withOthers(), withOthers());

  expect(alignment?.matches).toBe(isShown ? matches : undefined);
});

test('a uniform picture has no keypoints', async () => {
  const plain = sharp({ create: { width, height, channels: 3, background: '#e5ddd5' } });

  const { keypoints } = await fingerprintOf(await plain.png().toBuffer());

  expect(keypoints).toEqual([]);
});
