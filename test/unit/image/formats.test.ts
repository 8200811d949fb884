import type { TiffOptions } from 'sharp';
import { describe, expect, test } from 'vitest';
import { type Format, formats } from '../../../src/contract/vocabulary.ts';
import { openContainer } from '../../../src/image/container.ts';
import { decodePicture } from '../../../src/image/decode.ts';
import {
  describeContent,
  formatOfName,
  readJpegFrame,
  sniffFormat,
} from '../../../src/image/file-kind.ts';
import { localLimits, type Picture } from '../../../src/image/picture.ts';
import { bmpFile, fileOf, formatFile, formatScene } from '../../fixtures/formats.ts';
import { drawScene, fromScene } from '../../fixtures/pictures.ts';
import { xmpPacket } from '../../fixtures/xmp.ts';

const open = (bytes: Uint8Array) => decodePicture(bytes, { limits: localLimits });
const { width, height } = formatScene;

/** Mean difference from the scene in samples, 0..255. */
function difference({ rgb }: Picture, expected: Uint8Array = formatScene.rgb): number {
  expect(rgb).toHaveLength(expected.length);
  return rgb.reduce((sum, value, i) => sum + Math.abs(value - expected[i]!), 0) / rgb.length;
}

describe.each(formats)('%s', (format: Format) => {
  test('is recognised by its content and shows the scene', async () => {
    const bytes = await fileOf(format);

    const picture = await open(bytes);

    expect(sniffFormat(bytes)).toBe(format);
    const stored = { storedWidth: width, storedHeight: height, orientation: 1, bitsPerSample: 8 };
    expect(picture.facts).toMatchObject({ format, width, height, ...stored });
    expect(picture.facts.jpeg !== null).toBe(format === 'jpg' || format === 'raw');
    expect(difference(picture)).toBeLessThan(6);
  });

  test('truncated anywhere, it is shown or rejected with one of our own errors', async () => {
    const bytes = await fileOf(format);

    for (let length = 0; length < bytes.length; length += Math.ceil(bytes.length / 40)) {
      const code = await open(bytes.subarray(0, length)).then(
        () => 'shown',
        (error: { code?: string }) => error.code,
      );
      expect(code).toMatch(/^(?:shown|image_\w+)$/);
    }
  });
});

const endOf = (file: Buffer) => openContainer(file, localLimits).file.endOffset;

test.each<Format>(['png', 'webp', 'heic', 'avif', 'gif', 'bmp', 'jp2'])(
  'bytes after a %s are not part of its picture',
  async (format) => {
    const bytes = await fileOf(format);

    expect(endOf(bytes)).toBe(bytes.length);
    const longer = Buffer.concat([bytes, Buffer.from('PK\x03\x04 and more')]);
    expect(endOf(longer)).toBe(bytes.length);
  },
);

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'an AVIF rotation (%i) is applied once, and distinguished from one in EXIF',
  async (orientation) => {
    const scene = fromScene(formatScene).withMetadata({ orientation });
    const upright = await open(await scene.clone().png().toBuffer());

    const picture = await open(await scene.clone().avif({ quality: 95 }).toBuffer());

    expect(picture.facts).toMatchObject({
      orientation,
      storedWidth: width,
      storedHeight: height,
      notes: orientation === 1 ? [] : ['rotated_by_container'],
    });
    expect(difference(picture, upright.rgb)).toBeLessThan(6);
  },
);

test('a rotated JPEG XL is rotated only once', async () => {
  const picture = await open(await formatFile('turned.jxl'));

  expect(picture.facts).toMatchObject({ width: height, height: width, orientation: 6 });
});

test.each([
  ['alpha.heic', { hasAlpha: true, channels: 4, notes: ['transparency_flattened_on_white'] }],
  ['deep.heic', { bitsPerSample: 10, notes: ['reduced_to_8_bit'] }],
  ['two.heic', { notes: ['main_picture'] }],
  ['grey.jxl', { channels: 1, colourSpace: 'grey', notes: ['converted_from_grey'] }],
])('%s is read, with a note of its conversion', async (name, facts) => {
  expect((await open(await formatFile(name))).facts).toMatchObject(facts);
});

async function animated(format: 'webp' | 'gif'): Promise<Buffer> {
  const frames = [4, 5].map((seed) => drawScene({ width, height, seed }).rgb);
  const raw = { width, height: 2 * height, channels: 3, pageHeight: height } as const;
  const first = fromScene({ width, height, rgb: frames[0]! });
  return first.constructor(Buffer.concat(frames), { raw }).toFormat(format).toBuffer();
}

test.each(['webp', 'gif'] as const)('the first frame of an animated %s is used', async (format) => {
  const bytes = await animated(format);

  const picture = await open(bytes);

  expect(picture.facts.notes).toEqual(['first_frame_of_animation']);
  expect(difference(picture)).toBeLessThan(8);
});

test('an animated GIF that is cut off after its first frame says that its end is missing', async () => {
  const bytes = await animated('gif');

  const { notes } = (await open(bytes.subarray(0, Math.floor(0.95 * bytes.length)))).facts;

  expect(notes).toEqual(['first_frame_of_animation', 'end_marker_missing']);
});

test('the first picture of an AVIF sequence is shown', async () => {
  const bytes = await fileOf('avif');
  bytes.write('avis', 8, 'latin1');

  expect(difference(await open(bytes))).toBeLessThan(6);
});

test('TIFF in CMYK and with 16 bits is converted, with a note', async () => {
  const cmyk = await fromScene(formatScene).toColourspace('cmyk').tiff().toBuffer();
  const in16Bits = fromScene(formatScene).toColourspace('rgb16');
  const deep = await in16Bits.tiff({ compression: 'lzw' }).toBuffer();

  expect((await open(cmyk)).facts).toMatchObject({ notes: ['converted_from_cmyk'], channels: 4 });
  expect((await open(deep)).facts.notes).toEqual(['reduced_from_16_bit']);
});

test('BMP files are read top-down, bottom-up and with a palette, but not compressed', async () => {
  const down = await open(bmpFile({ bits: 24, isTopDown: true }));
  const table = await open(bmpFile({ bits: 8 }));
  const packed = bmpFile({ bits: 8 });
  packed.writeUInt32LE(1, 30);

  expect(difference(down)).toBe(0);
  expect(table.facts.colourSpace).toBe('palette');
  expect([...new Set(table.rgb)].toSorted((a, b) => a - b)).toEqual([0, 85, 170, 255]);
  await expect(open(packed)).rejects.toMatchObject({ code: 'image_not_supported' });
});

test('a BMP that lacks rows, or has a header of OS/2, is refused with the reason', async () => {
  const whole = bmpFile({ bits: 24 });
  const fromOs2 = bmpFile({ bits: 24 });
  fromOs2.writeUInt32LE(12, 14);

  await expect(open(whole.subarray(0, -1))).rejects.toThrow('The BMP file is incomplete');
  await expect(open(fromOs2)).rejects.toThrow('a rare kind of BMP file');
});

/** A TIFF of which some fields are replaced by one number. */
async function tiffWith(
  changes: Readonly<Record<number, number>>,
  options: TiffOptions = { compression: 'none' },
) {
  const bytes = await fromScene(formatScene).tiff(options).toBuffer();
  for (const [tag, value] of Object.entries(changes)) {
    const start = bytes.readUInt32LE(4) + 2;
    const entries = Array.from({ length: bytes.readUInt16LE(start - 2) }, (_, i) => start + 12 * i);
    const entry = entries.find((at) => bytes.readUInt16LE(at) === Number(tag));
    bytes.writeUInt16LE(value, entry! + 8);
    bytes.writeUInt32LE(1, entry! + 4);
  }
  return bytes;
}

const [depth, compression, photometric, samplesPerPixel] = [258, 259, 262, 277];
const [tileOffsets, sampleFormat] = [324, 339];

test.each([
  ['floating-point samples', { [sampleFormat]: 3 }],
  ['32 bits a sample', { [depth]: 32 }],
  ['colours in YCbCr that are not in a JPEG', { [photometric]: 6 }],
  ['Lab colours', { [photometric]: 8 }],
  ['a compression that cannot be read', { [compression]: 50_000 }],
])('a TIFF with %s is refused rather than shown in other values', async (_what, changes) => {
  await expect(open(await tiffWith({}))).resolves.toBeDefined();
  await expect(open(await tiffWith(changes))).rejects.toThrow('a rare kind of TIFF file');
});

test('a TIFF with a palette has the channels of its colours, as in other formats', async () => {
  const bytes = await tiffWith({ [photometric]: 3, [samplesPerPixel]: 1 });

  const { file } = openContainer(bytes, localLimits);

  expect(file).toMatchObject({ colourSpace: 'palette', channels: 3 });
});

test('a TIFF that lacks its directory or a tile is said to be incomplete', async () => {
  const tiled = { tile: true, tileWidth: 256, tileHeight: 256, compression: 'deflate' } as const;
  const whole = await tiffWith({});
  const cut = whole.subarray(0, whole.readUInt32LE(4) - 1);

  await expect(open(await tiffWith({}, tiled))).resolves.toBeDefined();
  for (const bytes of [cut, await tiffWith({ [tileOffsets]: 0xff_ff }, tiled)])
    await expect(open(bytes)).rejects.toThrow('The TIFF file is incomplete');
});

function factsOfJpegXl(header: number) {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt16BE(0xff0a);
  bytes.writeUInt32LE(header, 2);
  return openContainer(bytes, localLimits).file;
}

test('the bits per sample of a JPEG XL file are read from its header', () => {
  // From the lowest bit: small, 72 px high, as wide; then not all default, and no extra fields.
  const size = 1 + (8 << 1) + (1 << 6);
  // Integers of 1 + 15 bits; of 8 bits.
  const deep = factsOfJpegXl(size + (3 << 12) + (15 << 14));
  const usual = factsOfJpegXl(size);

  expect(deep).toMatchObject({ width: 72, height: 72, bitsPerSample: 16 });
  expect(usual).toMatchObject({ width: 72, height: 72, bitsPerSample: 8 });
});

test('the largest JPEG in a camera raw file is examined, with the metadata of both', async () => {
  const { facts } = await open(await fileOf('raw'));

  expect(facts.notes).toEqual(['jpeg_of_raw']);
  expect(facts.jpeg?.quality).toEqual({ value: 85, distance: 0 });
  expect(facts.metadata.cameraMake).toBe('Ex');
});

test.each(['webp', 'avif'] as const)('EXIF and XMP of a %s are read', async (format) => {
  const bytes = await fromScene(formatScene)
    .withExif({ IFD0: { Make: 'Maker', Model: 'Model 1' } })
    .withXmp(xmpPacket({ 'xmp:CreatorTool': 'Editor 2' }))
    .toFormat(format)
    .toBuffer();

  const { metadata } = (await open(bytes)).facts;

  const camera = { cameraMake: 'Maker', cameraModel: 'Model 1' };
  expect(metadata).toMatchObject({ ...camera, software: 'Editor 2' });
});

test('a header that claims a huge size is rejected before a pixel is decoded', async () => {
  const bmp = bmpFile({ bits: 24 });
  bmp.writeInt32LE(60_000, 18);
  const gif = await fileOf('gif');
  gif.writeUInt16LE(60_000, 6);

  for (const bomb of [bmp, gif]) {
    await expect(open(bomb)).rejects.toMatchObject({ code: 'image_too_large' });
  }
});

test.each(['\xff\xd8', '\x89PNG\r\n', ''])('%j, part of a signature, is no format', (text) => {
  expect(sniffFormat(Buffer.from(text, 'latin1'))).toBeNull();
});

test('a JPEG of ever more segments is not read on, because that happens outside the sandbox', () => {
  const small = Buffer.from('\xff\xe1\0\x07Exif\0', 'latin1');
  const frame = Buffer.from('\xff\xc0\0\x0b\x08\0\x46\0\x46\x01\x01\x11\0', 'latin1');
  const file = (count: number) =>
    Buffer.concat([Buffer.from([0xff, 0xd8]), ...Array<Buffer>(count).fill(small), frame]);

  expect(readJpegFrame(file(999))).toMatchObject({ width: 70, height: 70 });
  expect(readJpegFrame(file(1001))).toBeNull();
});

describe('describeContent', () => {
  test.each([
    ['', 'an empty file'],
    ['\0\0\0\x18ftypheic\0\0\0\0', 'a HEIC picture'],
    ['\0\0\0\x18ftypisom\0\0\0\0', 'a video'],
    ['BM\x36\0\0\0', 'a BMP picture'],
    ['8BPS\0\x01', 'a Photoshop document'],
    ['II+\0\x08\0\0\0', 'a BigTIFF picture'],
    ['MM\0+\0\x08\0\0', 'a BigTIFF picture'],
    ['\xff\xd8\xff\xf7\0\x0b\x08\0\x46\0\x46\x01', 'a JPEG-LS picture'],
    ['\xff\xd8\xff\xe8\0\x04AB\xff\xf7\0\x0b\x08\0\x46\0\x46\x01', 'a JPEG-LS picture'],
    ['II\xbc\x01', 'a JPEG XR picture'],
    ['%!PS-Adobe-3.0 EPSF-3.0\n', 'a PostScript file'],
    [`${'\0'.repeat(128)}DICM`, 'a DICOM file'],
    ['P6\n4 2\n255\n', 'a PPM, PGM or PBM picture'],
    ['\0\0\x01\0\x01\0', 'an icon'],
    ['\x0a\x05\x01\x08', 'a PCX picture'],
    ['\0\0\x0a\0\0\0\0\0', 'a TGA picture'],
    ['\0\0\0\x08wide\0\0', 'a video'],
    ['\xd0\xcf\x11\xe0\xa1\xb1', 'an Outlook message or an older Office document'],
    ['%PDF-1.7\n', 'a PDF document'],
    ['HTTP/1.1 200 OK\r\n\r\n%PDF-1.4\n', 'a PDF document'],
    [`${'\0'.repeat(1000)}%PDF-1.4\r`, 'a PDF document'],
    [`${' '.repeat(1024)}%PDF-1.4\r`, 'a text file'],
    ['The header reads `%PDF-1.4`.', 'a text file'],
    ['PK\x03\x04\x14\0', 'a ZIP archive or an office document'],
    ['\x1f\x8b\x08\0', 'a gzip archive'],
    ['<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>', 'an SVG drawing'],
    ['\n<!DOCTYPE HTML><title>x</title>', 'a web page'],
    ['Dear reader,\nthis is no picture.\n', 'a text file'],
    ['The wide plain\n', 'a text file'],
    ['\0\x01\x02\x03', 'a file of an unknown kind'],
  ])('takes %j for %s', (content, name) => {
    expect(describeContent(Buffer.from(content, 'latin1'))).toBe(name);
  });
});

test('formatOfName reads only the extension, in any case', () => {
  const names = ['a.JPEG', '/a.png/b.jfif', 'a.png', 'a.webp', 'png', 'upload.tmp'];

  expect(names.map(formatOfName)).toEqual(['jpg', 'jpg', 'png', 'webp', null, null]);
});
