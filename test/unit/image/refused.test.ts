import { describe, expect, test } from 'vitest';
import { decodePicture } from '../../../src/image/decode.ts';
import { ForensicsError } from '../../../src/contract/errors.ts';
import { checkSizeBytes, openContainer } from '../../../src/image/container.ts';
import { defaultLimits, localLimits, serviceLimits } from '../../../src/image/picture.ts';
import { jpegSegment, padFirstScan, withSegments } from '../../fixtures/jpeg-segments.ts';
import { drawScene, fromScene, sceneJpeg, scenePng } from '../../fixtures/pictures.ts';
import { pngChunk, pngHeader, pngOfSize, pngSignature } from '../../fixtures/png-chunks.ts';
import { formats } from '../../../src/contract/vocabulary.ts';
import { refusal } from '../../fixtures/refusal.ts';

const size = { width: 70, height: 70, seed: 2 };
const scene = fromScene(drawScene(size));
const jpeg = await sceneJpeg({ ...size, quality: 30 });

const unsupported = 'image_not_supported';

const progressive = padFirstScan(await scene.clone().jpeg({ progressive: true }).toBuffer());

describe('not a picture', () => {
  test.each([
    ['', 'image_empty', /0 bytes/],
    [
      'Dear reader,\n',
      unsupported,
      /^This is a text file, which cannot be examined\. Choose a picture\.$/,
    ],
    [
      'PK\u0003\u0004',
      unsupported,
      /^This is a ZIP .*\. Extract the pictures and examine those\.$/,
    ],
    ['%PDF-1.7', unsupported, /^This is a PDF document, .* Choose a picture\.$/],
    ['\0\0\0\x18ftypisom', unsupported, /^This is a video; .* Export frames/],
    ['II+\0\x08\0\0\0', unsupported, /^This is a BigTIFF picture, .* Export it as PNG/],
    ['8BPS\0\x01', unsupported, /^This is a Photoshop document, .* Export it as PNG/],
    ['\xff\xd8\xff', 'image_unreadable', /incomplete/],
    ['\x89PNG\r\n\x1a\n', 'image_unreadable', /incomplete/],
  ])('%j is %s', async (content, code, message) => {
    const decoding = decodePicture(Buffer.from(content, 'latin1'));
    await expect(decoding).rejects.toEqual(refusal(code, message));
  });

  test('a format that a server does not accept is named, with advice', async () => {
    const webp = await scene.clone().webp().toBuffer();

    await expect(decodePicture(webp, { name: 'photo.jpg' })).rejects.toEqual(
      refusal(
        unsupported,
        /^This is a WebP picture; this server accepts only JPEG and PNG\. .* intake/,
      ),
    );
  });
});

describe('size', () => {
  test.each([
    [64, 70, 'image_too_small'],
    [70, 64, 'image_too_small'],
    [4097, 65, 'image_too_large'],
    [65, 4097, 'image_too_large'],
  ])('%i x %i is %s, in both formats', async (width, height, code) => {
    const pixels = fromScene({ width, height, rgb: new Uint8Array(3 * width * height) });
    const files = [await pixels.clone().png().toBuffer(), await pixels.clone().jpeg().toBuffer()];

    for (const file of files) {
      await expect(decodePicture(file)).rejects.toEqual(refusal(code, `${width} x ${height}`));
    }
  });

  test.each([
    [65, 65],
    [4096, 65],
    [65, 4096],
  ])('%i x %i is examined', async (width, height) => {
    const picture = await decodePicture(await scenePng({ width, height, seed: 1 }));

    expect(picture.rgb).toHaveLength(3 * width * height);
  });

  test('a decompression bomb is rejected by its header, before its data is read', async () => {
    const bomb = Buffer.concat([pngSignature, pngHeader(50_000, 50_000), pngChunk('IDAT', 'x')]);

    await expect(decodePicture(bomb)).rejects.toEqual(
      refusal('image_too_large', /50000 x 50000.*65 to 4096/),
    );
  });

  test('limits can be set', async () => {
    const limits = { ...defaultLimits, maxBytes: 100, maxSidePx: 80 };
    const wide = await scenePng({ width: 81, height: 70, seed: 1 });

    await expect(decodePicture(jpeg, { limits })).rejects.toEqual(
      refusal('image_too_many_bytes', /MB/),
    );
    await expect(decodePicture(wide, { limits: { ...limits, maxBytes: 1e6 } })).rejects.toEqual(
      refusal('image_too_large', /65 to 80 pixels/),
    );
  });
});

describe('incomplete or damaged files', () => {
  const kinds = [
    ['a baseline JPEG', () => jpeg],
    ['a progressive JPEG', () => scene.clone().jpeg({ quality: 30, progressive: true }).toBuffer()],
    ['a PNG', () => scene.clone().png({ palette: true, colours: 4 }).toBuffer()],
  ] as const;

  test.each(kinds)(
    '%s truncated at any length is refused with one of our own errors, or noted as truncated',
    async (_, make) => {
      const file = await make();

      for (let length = 0; length < file.length; length += length < 700 ? 7 : 31) {
        const end = await decodePicture(file.subarray(0, length)).catch((error: unknown) => error);

        if (end instanceof ForensicsError) {
          expect(end.code).toMatch(/^image_(?:empty|not_supported|unreadable)$/);
        } else
          expect(end).toHaveProperty('facts.notes', expect.arrayContaining(['end_marker_missing']));
      }
    },
  );

  const head = [pngSignature, pngHeader(70, 70)];
  test.each([
    ['a JPEG despite its end marker', jpeg.subarray(0, jpeg.length / 2 + 150), jpeg.subarray(-2)],
    ['a later scan behind harmless padding', progressive.subarray(0, -200), jpeg.subarray(-2)],
    ['a PNG despite correct checksums', ...head, pngChunk('IDAT', 'no'), pngChunk('IEND', '')],
  ])('data that ends early is rejected: %s', async (_, ...parts) => {
    const cut = Buffer.concat(parts);

    await expect(decodePicture(cut)).rejects.toEqual(refusal('image_unreadable', /damaged/));
  });

  test('a PNG whose rows are interlaced is needed in full', async () => {
    const file = await scene.clone().png({ progressive: true }).toBuffer();
    const cut = file.subarray(0, Math.floor(0.97 * file.length));

    await expect(decodePicture(cut)).rejects.toEqual(refusal('image_unreadable', /incomplete/));
  });

  test('a frame with two components is refused', async () => {
    const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]));
    const two = Buffer.from([8, 0, 70, 0, 70, 2, 1, 0x11, 0, 2, 0x11, 1]);
    const file = Buffer.concat([
      jpeg.subarray(0, frame),
      jpegSegment(0xc0, two),
      jpeg.subarray(frame + 19),
    ]);

    await expect(decodePicture(file)).rejects.toEqual(refusal('image_unreadable', /./));
  });

  test('random damage gives a picture or one of our own errors', async () => {
    const file = withSegments(jpeg, jpegSegment(0xe1, 'Exif\0\0II*\0\x08\0\0\0\x01\0'));
    for (let round = 0; round < 300; round++) {
      const damaged = Buffer.from(file);
      // Multiplicative hashing: positions and values spread over the whole file, the same every time.
      damaged[(round * 2654435761) % file.length] = (round * 40503) & 255;
      damaged[(round * 2246822519) % file.length] = (round * 69069) >> 3;

      const code = await decodePicture(damaged).then(
        () => 'decoded',
        (error: { code?: string }) => error.code,
      );

      expect(code).toMatch(/^(?:decoded|image_\w+)$/);
    }
  });
});

const open = (width: number, height: number) => () =>
  openContainer(pngOfSize(width, height), localLimits);

test('local use allows up to 20,000 pixels per side and 100 megapixels', () => {
  // The size is accepted; only then is the rest missing.
  expect(open(20_000, 5000)).toThrow(refusal('image_unreadable'));
  const tooMany = /^The picture is 20000 x 5001 pixels; at most 100 megapixels .*\. Reduce a copy/;
  expect(open(20_000, 5001)).toThrow(refusal('image_too_large', tooMany));
  expect(open(20_001, 65)).toThrow(/65 to 20000 pixels/);
});

test('a service accepts what its settings permit', () => {
  const limits = serviceLimits({ intake: 'everything', maxUploadBytes: 1024 });
  const ofContract = serviceLimits({ intake: 'contract', maxUploadBytes: 1024 });

  const pixels = { minSidePx: 65, maxSidePx: 16_384, maxPixels: 100_000_000 };
  expect(limits).toEqual({ ...pixels, maxBytes: 1024, formats });
  expect(ofContract).toMatchObject({ formats: ['jpg', 'png'], maxPixels: 4096 * 4096 });
});

test('one byte beyond the limit is rejected and never reported with the size of the limit', () => {
  const message = 'The file is 50.1 MB in size; at most 50 MB can be examined.';
  expect(() => checkSizeBytes(50_000_001, defaultLimits)).toThrow(
    expect.objectContaining({ code: 'image_too_many_bytes', message }),
  );
});
