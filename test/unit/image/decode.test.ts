import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { decodePicture } from '../../../src/image/decode.ts';
import type { PictureNote } from '../../../src/image/picture.ts';
import {
  jpegSegment,
  jpegWithRestarts,
  padFirstScan,
  withSegments,
} from '../../fixtures/jpeg-segments.ts';
import { meanDifference } from '../../fixtures/likeness.ts';
import { drawScene, fromScene, sceneJpeg, scenePng } from '../../fixtures/pictures.ts';
import { animated, pngChunk, withChunks } from '../../fixtures/png-chunks.ts';

const size = { width: 90, height: 70, seed: 11 };
const upright = drawScene(size);
const scene = () => fromScene(upright);
const jpeg = await sceneJpeg(size);
const png = await scenePng(size);

/** Mean loss in sample steps of a JPEG with quality 98 in 4:4:4: sensor noise is hard to preserve. */
const lossOfQuality98 = 1.5;
const fine = { quality: 98, chromaSubsampling: '4:4:4' } as const;

describe('a plain picture', () => {
  test('from PNG has exactly the pixels that were saved', async () => {
    const picture = await decodePicture(png);

    expect(picture.rgb).toEqual(upright.rgb);
    expect(picture.luma).toHaveLength(90 * 70);
    const sides = { width: 90, height: 70, storedWidth: 90, storedHeight: 70, orientation: 1 };
    const samples = { bitsPerSample: 8, channels: 3, colourSpace: 'RGB', hasAlpha: false };
    const others = { iccProfile: null, notes: [], jpeg: null };
    expect(picture.facts).toMatchObject({ format: 'png', ...sides, ...samples, ...others });
  });

  test('from JPEG has exactly the pixels that sharp decodes', async () => {
    const { facts, rgb } = await decodePicture(jpeg);

    expect(rgb).toEqual(Uint8Array.from(await sharp(jpeg).raw().toBuffer()));
    expect(facts).toMatchObject({ format: 'jpg', channels: 3, colourSpace: 'YCbCr', notes: [] });
    expect(facts.jpeg?.quality).toEqual({ value: 90, distance: 0 });
  });

  test('carries the digests of the file, not of the pixels', async () => {
    const { facts } = await decodePicture(jpeg);
    const digest = (name: string) => createHash(name).update(jpeg).digest('hex');

    expect(facts.sizeBytes).toBe(jpeg.length);
    expect(facts.sha256).toBe(digest('sha256'));
    expect(facts.sha512).toBe(digest('sha512'));
    expect(facts.md5).toBe(digest('md5'));
  });

  test('decodes the same from a view into a larger buffer', async () => {
    const padded = Buffer.concat([Buffer.from('head'), png, Buffer.from('tail')]);

    const view = new Uint8Array(padded.buffer, padded.byteOffset + 4, png.length);
    const { rgb } = await decodePicture(view);

    expect(rgb).toEqual(upright.rgb);
  });
});

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'orientation %i shows the upright scene',
  async (orientation) => {
    const fromPng = await decodePicture(await scenePng({ ...size, orientation }));
    const fromJpeg = await decodePicture(await sceneJpeg({ ...size, orientation, ...fine }));

    expect(fromPng.rgb).toEqual(upright.rgb);
    expect(meanDifference(fromJpeg.rgb, upright.rgb)).toBeLessThan(lossOfQuality98);
    for (const { facts } of [fromPng, fromJpeg]) {
      const stored = orientation >= 5 ? [70, 90] : [90, 70];
      expect([facts.width, facts.height, facts.orientation]).toEqual([90, 70, orientation]);
      expect([facts.storedWidth, facts.storedHeight]).toEqual(stored);
      expect(facts.notes).toEqual(orientation === 1 ? [] : ['rotated_by_exif']);
    }
  },
);

describe('other kinds of picture are converted to 8-bit RGB, with a note', () => {
  test('grey is expanded', async () => {
    const grey = scene().toColourspace('b-w');

    const files = [await grey.clone().jpeg().toBuffer(), await grey.clone().png().toBuffer()];
    for (const file of files) {
      const { facts, rgb, luma } = await decodePicture(file);
      expect(facts).toMatchObject({ channels: 1, colourSpace: 'grey' });
      expect(facts.notes).toEqual(['converted_from_grey']);
      expect(rgb.filter((_, i) => i % 3 === 0)).toEqual(luma);
    }
  });

  test('CMYK and YCCK are converted', async () => {
    const cmyk = await scene().toColourspace('cmyk').jpeg({ quality: 98 }).toBuffer();
    const ycck = Buffer.from(cmyk);
    ycck[cmyk.indexOf('Adobe') + 11] = 2;

    const { facts, rgb } = await decodePicture(cmyk);

    expect(facts).toMatchObject({ channels: 4, colourSpace: 'CMYK', hasAlpha: false });
    expect(facts.notes).toEqual(['converted_from_cmyk']);
    // The scene's bright colours lose this much in the smaller gamut of print.
    expect(meanDifference(rgb, upright.rgb)).toBeLessThan(20);
    expect((await decodePicture(ycck)).facts.colourSpace).toBe('YCCK');
    expect(await notesOf(ycck)).toEqual(['converted_from_cmyk']);
  });

  test('16 bits are reduced to the upper 8', async () => {
    const deep = await scene().toColourspace('rgb16').png().toBuffer();
    const deepGrey = await scene().toColourspace('grey16').png().toBuffer();

    expect((await decodePicture(deep)).rgb).toEqual(upright.rgb);
    expect(await notesOf(deep)).toEqual(['reduced_from_16_bit']);
    expect(await notesOf(deepGrey)).toEqual(['converted_from_grey', 'reduced_from_16_bit']);
  });

  test('transparency is composited over white', async () => {
    const half = await scene().ensureAlpha(0.5).png().toBuffer();

    const { facts, rgb } = await decodePicture(half);

    expect(facts).toMatchObject({ channels: 4, hasAlpha: true });
    expect(facts.notes).toEqual(['transparency_flattened_on_white']);
    const expected = upright.rgb.map((value) => Math.round((value * 128 + 255 * 127) / 255));
    expect(meanDifference(rgb, expected)).toBeLessThan(0.6);
  });

  test('a fully opaque alpha channel does not count as transparency', async () => {
    const opaque = await scene().ensureAlpha(1).png().toBuffer();

    const { facts, rgb } = await decodePicture(opaque);

    expect(facts).toMatchObject({ hasAlpha: true, notes: [] });
    expect(rgb).toEqual(upright.rgb);
  });

  test('a palette is looked up, its transparent entries become white', async () => {
    const opaque = await scene().png({ palette: true, colours: 16 }).toBuffer();
    const clear = await scene().ensureAlpha(0).png({ palette: true, colours: 16 }).toBuffer();

    const { facts } = await decodePicture(opaque);
    expect(facts).toMatchObject({ colourSpace: 'palette', channels: 3, notes: [] });
    const flat = await decodePicture(clear);
    expect(flat.facts).toMatchObject({ colourSpace: 'palette', channels: 4, hasAlpha: true });
    expect(flat.facts.notes).toEqual(['transparency_flattened_on_white']);
    expect(flat.rgb.every((value) => value === 255)).toBe(true);
  });

  test('the first frame of an animation is used', async () => {
    const { facts, rgb } = await decodePicture(animated(png));

    expect(rgb).toEqual(upright.rgb);
    expect(facts.notes).toEqual(['first_frame_of_animation']);
  });

  test('progressive, 4:4:4 and restart markers need no note', async () => {
    const progressive = await scene().jpeg({ progressive: true, quality: 98 }).toBuffer();
    const full = await sceneJpeg({ ...size, ...fine });

    expect((await decodePicture(progressive)).facts.jpeg?.progressive).toBe(true);
    const { rgb } = await decodePicture(full);
    expect(meanDifference(rgb, upright.rgb)).toBeLessThan(lossOfQuality98);
    const flat = await decodePicture(jpegWithRestarts());
    expect(flat.facts.notes).toEqual(['converted_from_grey']);
    expect(flat.rgb.every((value) => value === 128)).toBe(true);
  });
});

describe('data outside the pixels does not change them', () => {
  test('a colour profile is named but not applied', async () => {
    const wideJpeg = await sharp(jpeg).jpeg({ quality: 90 }).withIccProfile('p3').toBuffer();
    const stored = await sharp(wideJpeg, { ignoreIcc: true }).raw().toBuffer();
    const widePng = await sharp(png).withIccProfile('p3').png().toBuffer();

    const picture = await decodePicture(wideJpeg);

    expect(picture.facts.iccProfile).toBe('sP3C');
    expect(picture.rgb).toEqual(Uint8Array.from(stored));
    expect((await decodePicture(widePng)).facts.iccProfile).toBe('sP3C');
  });

  test('gamma, broken profiles, comments and trailing bytes have no effect', async () => {
    const noisyPng = withChunks(
      png,
      pngChunk('gAMA', Buffer.from([0, 1, 0, 0])),
      pngChunk('iCCP', 'broken\0\0no deflate stream'),
      pngChunk('tEXt', 'Comment\0hello'),
    );
    const noisyJpeg = withSegments(
      jpeg,
      jpegSegment(0xe1, 'Exif\0\0broken'),
      jpegSegment(0xe2, 'ICC_PROFILE\0\x01\x01broken'),
      jpegSegment(0xfe, 'hello'),
    );
    const tail = Buffer.from('MPF or a motion picture');

    const fromPng = await decodePicture(Buffer.concat([noisyPng, tail]));
    const fromJpeg = await decodePicture(Buffer.concat([noisyJpeg, tail]));

    expect(fromPng.rgb).toEqual(upright.rgb);
    expect(fromPng.facts.iccProfile).toBe('broken');
    expect(fromJpeg.rgb).toEqual((await decodePicture(jpeg)).rgb);
    expect(fromJpeg.facts.jpeg?.trailingBytes).toBe(tail.length);
  });

  test('padding between the scans of a JPEG, or before its end as some cameras write it, is skipped', async () => {
    const progressive = await scene().jpeg({ progressive: true }).toBuffer();
    const longer = Buffer.concat([jpeg.subarray(0, -2), Buffer.alloc(5), jpeg.subarray(-2)]);

    expect(await rgbOf(padFirstScan(progressive))).toEqual(await rgbOf(progressive));
    expect(await rgbOf(longer)).toEqual(await rgbOf(jpeg));
  });
});

test('an extension that contradicts the content is noted, an unrelated one is not', async () => {
  expect(await notesOf(jpeg, 'a.png')).toEqual(['extension_disagrees']);
  expect(await notesOf(jpeg, 'a.webp')).toEqual(['extension_disagrees']);
  expect(await notesOf(jpeg, 'a.JPEG')).toEqual([]);
  expect(await notesOf(jpeg, 'upload.tmp')).toEqual([]);
});

const rgbOf = async (bytes: Buffer) => (await decodePicture(bytes)).rgb;

async function notesOf(bytes: Uint8Array, name = 'picture'): Promise<readonly PictureNote[]> {
  const { facts } = await decodePicture(bytes, { name });
  return facts.notes;
}
