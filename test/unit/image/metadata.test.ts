import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { openJpeg } from '../../../src/image/jpeg-metadata.ts';
import { readMetadata } from '../../../src/image/metadata.ts';
import { openPng } from '../../../src/image/png.ts';
import { exifSegment, tiffBlock, utf8 } from '../../fixtures/exif.ts';
import { jpegSegment, withSegments } from '../../fixtures/jpeg-segments.ts';
import { sceneJpeg, scenePng } from '../../fixtures/pictures.ts';
import { pngChunk, withChunks } from '../../fixtures/png-chunks.ts';
import { xmpPacket, xmpSegment } from '../../fixtures/xmp.ts';
import { decodePicture } from '../../../src/image/decode.ts';
import { provenanceOf, withExif } from '../provenance/files.ts';

const size = { width: 70, height: 70, seed: 5 };
const jpeg = await sceneJpeg(size);
const png = await scenePng(size);

const trained = 'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia';
const camera = {
  IFD0: { Make: 'Acme', Model: 'Snap 1', Software: 'Darkroom 2.1' },
  IFD2: { DateTimeOriginal: '2026:03:01 12:30:05', ISOSpeedRatings: '200', UserComment: 'hello' },
};
const position = {
  GPSLatitudeRef: 'N',
  GPSLatitude: '51/1 30/1 12/1',
  GPSLongitudeRef: 'W',
  GPSLongitude: '0/1 7/1 39/1',
};

/** By a camera that also wrote these entries about its position. */
function photographed(IFD3: Record<string, string>): Promise<Buffer> {
  return sharp(png)
    .withExif({ ...camera, IFD3 })
    .jpeg()
    .toBuffer();
}

function ofJpeg(file: Buffer): ReturnType<typeof readMetadata> {
  return readMetadata(openJpeg(file));
}

function ofPng(file: Buffer): ReturnType<typeof readMetadata> {
  return readMetadata(openPng(file));
}

test('a file without metadata has none, and no warning', () => {
  const blocks = { exif: {}, xmp: {}, iptc: {}, pngText: {}, comment: null };
  const made = { software: null, cameraMake: null, cameraModel: null, takenAt: null };
  const parts = { hasGps: false, hasThumbnail: false, digitalSourceType: null, warnings: [] };
  const nothing = {
    metadata: { ...blocks, ...made, ...parts },
    orientation: 1,
    texts: { all: [], xmp: [], warnings: [] },
  };

  expect(ofJpeg(jpeg)).toEqual(nothing);
  expect(ofPng(png)).toEqual(nothing);
});

describe('EXIF', () => {
  test.each(['jpeg', 'png'] as const)('of a %s gives camera, program and time', async (format) => {
    const file = await sharp(png).withExif(camera).toFormat(format).toBuffer();

    const { metadata } = format === 'jpeg' ? ofJpeg(file) : ofPng(file);

    expect(metadata).toMatchObject({
      cameraMake: 'Acme',
      cameraModel: 'Snap 1',
      software: 'Darkroom 2.1',
      takenAt: '2026-03-01T12:30:05',
      hasGps: false,
      warnings: [],
    });
    expect(metadata.exif).toMatchObject({ ISOSpeedRatings: 200, UserComment: 'hello' });
  });

  test('only whether there is a position is kept; a receiver without a fix is none', async () => {
    const { metadata } = ofJpeg(await photographed(position));
    const unfixed = ofJpeg(await photographed({ GPSDateStamp: '2026:03:01' })).metadata;

    expect(metadata).toMatchObject({ hasGps: true, cameraMake: 'Acme' });
    expect(JSON.stringify(metadata)).not.toMatch(/GPS[A-Z]|51|39/);
    expect(unfixed.hasGps).toBe(false);
    expect(Object.keys(unfixed.exif).filter((name) => name.startsWith('GPS'))).toEqual([]);
  });

  test('of version 3.0, with UTF-8 texts, is read', () => {
    const primary = { 0x010f: utf8('Müller'), 0x0110: utf8('写真 1'), 0x0131: utf8('Labor é') };
    const segment = exifSegment({ primary, exif: { 0xa434: utf8('50 mm ƒ') } });

    const { metadata } = ofJpeg(withSegments(jpeg, segment));

    expect(metadata).toMatchObject({
      cameraMake: 'Müller',
      cameraModel: '写真 1',
      software: 'Labor é',
      exif: { LensModel: '50 mm ƒ' },
      warnings: [],
    });
  });

  test('with an empty directory, as left by stripping programs, causes no warning', () => {
    expect(ofJpeg(withSegments(jpeg, exifSegment({}))).metadata.warnings).toEqual([]);
  });

  test('next to a large value is read', () => {
    const primary = { 0x010f: 'Acme', 0xc4a5: Buffer.alloc(3_000_000) };

    const { metadata } = ofPng(withChunks(png, pngChunk('eXIf', tiffBlock({ primary }))));

    expect(metadata).toMatchObject({ cameraMake: 'Acme', warnings: [] });
  });

  test('a thumbnail is reported', async () => {
    const thumbnail = await sharp(png).resize(16).jpeg().toBuffer();

    const { metadata } = ofJpeg(withSegments(jpeg, exifSegment({ thumbnail })));

    expect(metadata.hasThumbnail).toBe(true);
  });

  test.each([
    ['nothing', ''],
    ['noise', 'zzzzzzzzzzzzzzzzzzzz'],
    ['an offset beyond the block', 'II*\0\xff\xff\xff\x7f'],
    // One entry: Make, ASCII, four billion bytes at offset 8.
    ['a length beyond the block', 'II*\0\x08\0\0\0\x01\0\x0f\x01\x02\0\xff\xff\xff\xff\x08\0\0\0'],
  ])('with %s is harmless', (_, tiff) => {
    const block = Buffer.from(`Exif\0\0${tiff}`, 'latin1');

    const { metadata, orientation } = ofJpeg(withSegments(jpeg, jpegSegment(0xe1, block)));

    expect(orientation).toBe(1);
    expect(Object.keys(metadata.exif).length).toBeLessThanOrEqual(1);
  });
});

describe('XMP', () => {
  const sourceType = { 'Iptc4xmpExt:DigitalSourceType': trained };
  const packet = xmpPacket({ 'xmp:CreatorTool': 'Painter 9', ...sourceType });

  test('gives the program and the digital source type, in both formats', () => {
    const inJpeg = withSegments(jpeg, xmpSegment(packet));
    const inPng = withChunks(png, pngChunk('iTXt', `XML:com.adobe.xmp\0\0\0\0\0${packet}`));

    for (const { metadata } of [ofJpeg(inJpeg), ofPng(inPng)]) {
      expect(metadata).toMatchObject({ software: 'Painter 9', digitalSourceType: trained });
      expect([metadata.pngText, metadata.warnings]).toEqual([{}, []]);
    }
  });

  test('a position is masked, even inside a structure', () => {
    const plain = xmpPacket({ 'exif:GPSLatitude': '51,30.2N', 'xmp:CreatorTool': 'A' });
    const nested = xmpPacket(
      { 'xmp:CreatorTool': 'A' },
      '<dc:where rdf:parseType="Resource"><exif:GPSLatitude>51,30.2N</exif:GPSLatitude></dc:where>',
    );

    for (const text of [plain, nested]) {
      const { metadata } = ofJpeg(withSegments(jpeg, xmpSegment(text)));
      expect(metadata.hasGps).toBe(true);
      expect(JSON.stringify(metadata)).not.toContain('51');
    }
  });

  test.each([
    ['nested ten thousand times', packet.replace('<rdf:RDF', `${'<a>'.repeat(10_000)}<rdf:RDF`)],
    ['full of entities', `<!DOCTYPE x [<!ENTITY a "${'b'.repeat(99)}">]><x>&a;&a;</x>`],
    ['full of packet ends', '<?xpacket end="'.repeat(4000)],
    ['empty', ''],
  ])('that is %s causes a warning', (_, text) => {
    const { metadata } = ofJpeg(withSegments(jpeg, xmpSegment(text)));

    expect(metadata.xmp).toEqual({});
    expect(metadata.warnings).toEqual([{ code: 'block_unreadable', values: { place: 'xmp' } }]);
  });

  test.each([
    ['of a phone', packet.replaceAll(/ \w+:\w+="[^"]*"/g, '')],
    ['of GIMP', packet.replace('</rdf', '<exif:TIFF/EPStandardID>1</exif:TIFF/EPStandardID></rdf')],
  ])('%s, without a property or with an unusual one, causes no warning', (_, text) => {
    expect(ofJpeg(withSegments(jpeg, xmpSegment(text))).metadata.warnings).toEqual([]);
  });

  test.each([
    ['whose end tags are missing', packet.slice(0, packet.indexOf('</rdf:Description>'))],
    ['that is cut off inside a tag', packet.replace('</rdf:Description>', '<dc:title')],
  ])('%s is read as far as it goes, with a warning', (_, text) => {
    const { metadata } = ofJpeg(withSegments(jpeg, xmpSegment(text)));

    expect(metadata).toMatchObject({ software: 'Painter 9', digitalSourceType: trained });
    expect(metadata.warnings).toEqual([{ code: 'block_read_in_part', values: { place: 'xmp' } }]);
  });
});

const withResource = (resource: string) =>
  withSegments(jpeg, jpegSegment(0xed, Buffer.from(resource, 'latin1')));

describe('IPTC', () => {
  const author = [80, 'A. Author'] as const;

  test('captions and keywords are read', () => {
    const { metadata } = ofJpeg(withResource(photoshop([author, [25, 'harbour'], [25, 'night']])));

    expect(metadata.iptc).toMatchObject({ 'By-line': 'A. Author', Keywords: 'harbour, night' });
  });

  test('a resource that claims too great a length is harmless', () => {
    const resource = photoshop([author]).replace('\0\0\0\0\0', '\0\0\x7f\xff\xff');

    expect(ofJpeg(withResource(resource)).metadata.cameraMake).toBeNull();
  });
});

describe('PNG text', () => {
  test('of all three kinds is read, each with its own encoding', () => {
    const file = withChunks(
      png,
      pngChunk('tEXt', Buffer.from('Author\0J\xf6rg', 'latin1')),
      pngChunk('zTXt', compressed('parameters\0\0', 'a cat, steps: 20')),
      pngChunk('iTXt', Buffer.from('Title\0\0\0de\0Titel\0Grüße 🐈')),
      pngChunk('iTXt', compressed('prompt\0\x01\0\0\0', '{"cat": "süß"}')),
    );

    expect(ofPng(file).metadata.pngText).toEqual({
      Author: 'Jörg',
      parameters: 'a cat, steps: 20',
      Title: 'Grüße 🐈',
      prompt: '{"cat": "süß"}',
    });
  });

  test('a raw profile is read as the EXIF it holds and not kept as text', async () => {
    const { exif } = await sharp(await photographed(position)).metadata();
    const hex = exif!.toString('hex').replaceAll(/(.{72})/g, '$1\n');
    const text = `Raw profile type APP1\0\0`;

    const { metadata } = ofPng(
      withChunks(png, pngChunk('zTXt', compressed(text, `\nexif\n${exif!.length}\n${hex}\n`))),
    );

    expect(metadata.cameraMake).toBe('Acme');
    expect(metadata.hasGps).toBe(true);
    expect(metadata.pngText).toEqual({});
  });

  test('a position in a text is masked', () => {
    const file = withChunks(png, pngChunk('tEXt', 'exif:GPSLatitude\x0051/1, 30/1'));

    expect(ofPng(file).metadata).toMatchObject({ hasGps: true, pngText: {} });
  });

  test('a text that inflates without bound is left out, the others are kept', () => {
    const bomb = compressed('Bomb\0\0', '\0'.repeat(20_000_000));
    const file = withChunks(
      png,
      ...Array<Buffer>(100).fill(pngChunk('zTXt', bomb)),
      pngChunk('tEXt', 'Software\0Painter'),
    );

    const { metadata } = ofPng(file);

    expect(metadata.pngText).toEqual({ Software: 'Painter' });
    expect(metadata.software).toBe('Painter');
    // Nothing more is inflated after eight of them.
    expect(metadata.warnings).toHaveLength(8);
  });

  test('texts are truncated, made printable and counted', () => {
    const many = Array.from({ length: 10_001 }, (_, i) => pngChunk('tEXt', `key ${i}\0value`));
    const long = pngChunk('tEXt', `Comment\0\x1b[31m${'x'.repeat(5000)}`);

    const { metadata } = ofPng(withChunks(png, long, ...many));

    expect(Object.keys(metadata.pngText)).toHaveLength(200);
    expect(metadata.pngText['Comment']).toMatch(/^\[31mx+$/);
    expect(metadata.pngText['Comment']!.length).toBeLessThanOrEqual(2000);
    expect(metadata.warnings).toEqual([
      { code: 'png_chunks_cut', values: {} },
      { code: 'entries_cut', values: { place: 'png-text', entries: 200 } },
      { code: 'texts_cut', values: { place: 'png-text', characters: 2000 } },
    ]);
  });

  test('control characters become spaces, and half a character its replacement', () => {
    const cut = Buffer.from(`cut\0\0\0\0\0${'x'.repeat(1999)}🐈`);
    const file = withChunks(
      png,
      pngChunk('tEXt', 'escape\0a\x1b[2Jc\td\ne'),
      pngChunk('iTXt', cut),
      pngChunk('tEXt', 'where\0GPSLatitude: 51,30N'),
    );

    expect(ofPng(file).metadata.pngText).toEqual({
      escape: 'a [2Jc\td\ne',
      cut: `${'x'.repeat(1999)}\u{fffd}`,
    });
  });

  test('a keyword of __proto__ is a keyword like any other', () => {
    const { metadata } = ofPng(withChunks(png, pngChunk('tEXt', '__proto__\0x')));

    expect(JSON.stringify(metadata.pngText)).toBe('{"__proto__":"x"}');
    expect(Object.getPrototypeOf(metadata.pngText)).toBe(Object.prototype);
  });
});

/** One image resource 0x0404 with these records: dataset number and text. */
function photoshop(records: readonly (readonly [number, string])[]): string {
  const body = records
    .map(([dataset, text]) => `\x1c\x02${String.fromCharCode(dataset, 0, text.length)}${text}`)
    .join('');
  return `Photoshop 3.0\x008BIM\x04\x04\0\0\0\0\0${String.fromCharCode(body.length)}${body}`;
}

/** `head` in Latin-1, then `text` as a zlib stream. */
function compressed(head: string, text: string): Buffer {
  return Buffer.concat([Buffer.from(head, 'latin1'), deflateSync(Buffer.from(text))]);
}

const rest = '\0H\x002003:08:01\0old buffer';
const padded = (text: string) => ({ type: 2, bytes: Buffer.from(`${text}${rest}`) });

test.each([
  ['a maker', withExif({ primary: { 0x010f: padded('Acme') } })],
  ['a model', withExif({ primary: { 0x0110: padded('Acme 710') } })],
  ['software', withExif({ primary: { 0x0131: padded('Darkroom') } })],
  ['an artist', withExif({ primary: { 0x013b: padded('A. Berg') } })],
  ['a lens', withExif({ exif: { 0xa434: padded('50 mm') } })],
  ['a comment', withExif({ exif: { 0x9286: Buffer.from(`ASCII\0\0\0hello${rest}`) } })],
  ['a copyright', withExif({ primary: { 0x8298: padded('A. Berg') } })],
  ['a JPEG comment', withSegments(jpeg, jpegSegment(0xfe, `hello${rest}`))],
  ['a PNG text', withChunks(png, pngChunk('tEXt', `Software\0Darkroom${rest}`))],
])('nothing after the NUL of %s is shown', async (_, file) => {
  const { facts } = await decodePicture(file);

  const shown = JSON.stringify([facts.metadata, await provenanceOf(file)]);

  expect(shown).not.toMatch(/old buffer|2003/);
  expect(shown).toMatch(/Acme|Darkroom|A\. Berg|50 mm|hello/);
});

test.each([
  ['a workflow', { 0x010f: 'workflow:{"nodes": []}', 0x0110: 'prompt:{"1": {}}' }],
  ['settings', { 0x010f: 'Acme', 0x0110: '{"prompt": "a", "seed": 1}' }],
])('%s in the camera fields is not a camera', async (_, primary) => {
  const file = withExif({ primary });
  const { facts } = await decodePicture(file);
  const { software } = await provenanceOf(file);

  expect(facts.metadata.cameraModel).toBeNull();
  expect(software.filter(({ kind }) => kind === 'camera')).toEqual([]);
});
