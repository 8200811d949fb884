/** A declaration is found anywhere in the file, in any encoding. */
/** References to content credentials in a file, and whether the credentials are really there. */

import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { decodePicture } from '../../../src/image/decode.ts';
import { exifSegment, tiffBlock, utf8 } from '../../fixtures/exif.ts';
import { jpegSegment, withSegments } from '../../fixtures/jpeg-segments.ts';
import { pngChunk, withChunks } from '../../fixtures/png-chunks.ts';
import { xmpHead, xmpPacket, xmpSegment } from '../../fixtures/xmp.ts';
import { declarationsOf, jpeg, png, withExif, withTexts, withXmp, provenanceOf } from './files.ts';
import { createAuthority, withCredentials } from '../../fixtures/content-credentials.ts';

const settings =
  'Steps: 20, Sampler: DPM++ 2M, CFG scale: 7, Seed: 965400086, Size: 512x512, Model: x';
const automatic = `a harbour at night, straße\nNegative prompt: people\n${settings}`;
const trained = 'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia';
const typed = xmpPacket({ 'Iptc4xmpExt:DigitalSourceType': trained });

const userComment = 0x9286;
const withInner = (text: string) => withXmp(xmpPacket({}, text));
const utf16le = (text: string) => Buffer.from(text, 'utf16le');
const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();

const harbour = Buffer.from(`a harbour\n${settings}`);
const comment = (value: Uint8Array | string) => ({ [userComment]: value });
const commented = (code: string, bytes: Uint8Array) =>
  withExif({ exif: comment(Buffer.concat([Buffer.from(code), bytes])) });
test.each(
  Object.entries({
    'the comment, ASCII': commented('ASCII\0\0\0', Buffer.from(automatic)),
    'the comment, UTF-16 least byte first': commented('UNICODE\0', utf16le(automatic)),
    'the comment, UTF-16 greatest byte first': commented(
      'UNICODE\0',
      utf16be(`\u{feff}${automatic}`),
    ),
    'the comment, UTF-8 as Unicode': commented('UNICODE\0', harbour),
    'the comment, in a Japanese code': commented('JIS\0\0\0\0\0', harbour),
    'the comment, of no code': commented('\0'.repeat(8), Buffer.from(automatic)),
    'the comment, without a code': withExif({ exif: comment(Buffer.from(automatic)) }),
    'the comment as a text': withExif({ exif: comment(automatic) }),
    'the comment in the first directory': withExif({ primary: comment(automatic) }),
    'the comment in the first directory, with a code': withExif({
      primary: comment(Buffer.from(`ASCII\0\0\0${automatic}`)),
    }),
    'the comment in UTF-8 of Exif 3.0': withExif({ exif: { [userComment]: utf8(automatic) } }),
    'the description': withExif({ primary: { 0x010e: automatic } }),
    'the description in UTF-8 of Exif 3.0': withExif({ primary: { 0x010e: utf8(automatic) } }),
    'the comment of Windows': withExif({ primary: { 0x9c9c: windows(automatic) } }),
    'the title of Windows': withExif({ primary: { 0x9c9b: windows(automatic) } }),
    'the subject of Windows': withExif({ primary: { 0x9c9f: windows(automatic) } }),
    'the keywords of Windows': withExif({ primary: { 0x9c9e: windows(automatic) } }),
    'a tag of no name': withExif({ primary: { 0xc4a5: automatic } }),
    'the second EXIF segment': withSegments(
      jpeg,
      exifSegment({ primary: { 0x010f: 'Acme' } }),
      exifSegment({ exif: comment(automatic) }),
    ),
    'the comment of a JPEG': withSegments(jpeg, jpegSegment(0xfe, automatic)),
    'its second comment, in UTF-16': withSegments(
      jpeg,
      jpegSegment(0xfe, 'hello'),
      jpegSegment(0xfe, utf16le(automatic)),
    ),
    'XMP, behind a long prompt': withInner(description(`${'rain, '.repeat(3000)}\n${settings}`)),
    'XMP inside another structure': withInner(
      `<dc:a rdf:parseType="Resource"><dc:b>${automatic}</dc:b></dc:a>`,
    ),
    'XMP, unescaped': withInner(description(`a harbour <lora:rain:0.8> 1 < 2\n${settings}`)),
    'a PNG text of any name': withTexts({ 'My notes': automatic }),
    'EXIF of a PNG': withChunks(png, pngChunk('eXIf', tiffBlock({ exif: comment(automatic) }))),
    'a raw profile of EXIF': withProfile(
      'exif',
      Buffer.concat([Buffer.from('Exif\0\0'), tiffBlock({ exif: comment(automatic) })]),
    ),
    'IPTC of any length': withIptcCaption(`${'rain, '.repeat(8000)}\n${settings}`),
  }),
)('a settings line is found in %s', async (_, file) => {
  expect(await declarationsOf(file)).toMatchObject([
    { origin: 'ai-generated', assurance: 'unsigned', generator: expect.stringContaining('web UI') },
  ]);
});

describe('a digital source type is found in', () => {
  const crowd = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`crs:Set${i}`, `${i}`]));
  const ancestors = `<photoshop:DocumentAncestors><rdf:Bag>${'<rdf:li>xmp.did:0</rdf:li>'.repeat(30_000)}</rdf:Bag></photoshop:DocumentAncestors>`;
  const noSum = '0'.repeat(32);
  const behind = `<Iptc4xmpExt:DigitalSourceType>${trained}</Iptc4xmpExt:DigitalSourceType>`;

  test.each(
    Object.entries({
      'XMP behind 300 settings': withXmp(xmpPacket(crowd, behind)),
      'UTF-16, least byte first': withXmp(utf16le(typed)),
      'UTF-16, greatest byte first, with a mark': withXmp(utf16be(`\u{feff}${typed}`)),
      'a second packet': withSegments(
        jpeg,
        xmpSegment(xmpPacket({ 'dc:title': 'a' })),
        xmpSegment(typed),
      ),
      'a packet of a PNG of 800 kB': withChunks(png, xmpChunk(xmpPacket({}, ancestors + behind))),
      'the same, compressed': withChunks(png, xmpChunk(xmpPacket({}, ancestors + behind), true)),
      'a raw profile of XMP': withProfile('xmp', Buffer.from(typed)),
      'a raw profile of the segment': withProfile('APP1', Buffer.from(xmpHead + typed)),
      'a TIFF directory': withExif({ primary: { 0x02bc: { type: 1, bytes: Buffer.from(typed) } } }),
      'a packet that is cut off': withXmp(typed.slice(0, typed.indexOf('</rdf:RDF>'))),
      'extended XMP of one part': withExtended(typed, [0]),
      'extended XMP of parts in disorder': withExtended(typed, [2, 0, 1]),
    }),
  )('%s', async (_, file) => {
    expect(await declarationsOf(file)).toMatchObject([{ origin: 'ai-generated', value: trained }]);
  });

  test.each([
    ['whole', withExtended(typed, [1, 0]), []],
    ['without its last part', withExtended(typed, [0, 1], 3), ['extended_xmp_incomplete']],
    ['of another checksum', withExtended(typed, [0, 1], 2, noSum), ['extended_xmp_differs']],
  ])('extended XMP %s, with a warning if appropriate', async (_, file, codes) => {
    const { warnings } = (await decodePicture(file)).facts.metadata;

    const found = warnings
      .map((one) => `${Object(one).code}`)
      .filter((code) => code.startsWith('extended'));
    expect(found).toEqual(codes);
  });

  test.each(
    Object.entries({
      'an ingredient': `<xmpMM:Pantry><rdf:Bag><rdf:li rdf:parseType="Resource">${behind}</rdf:li></rdf:Bag></xmpMM:Pantry>`,
      'a title': `<dc:title>${trained}</dc:title>`,
    }),
  )('but not in %s, as it does not describe the picture', async (_, inner) => {
    expect(await declarationsOf(withInner(inner))).toEqual([]);
  });
});

// In CPU time, which other work on the machine does not lengthen.
test.each([
  ['of empty tags', megabytes('<a/>')],
  ['of open tags', megabytes('<a>')],
  ['of attributes', `<rdf:RDF><b ${megabytes('a="" ')}`],
  ['of quotes', `<rdf:RDF>${megabytes('<a b="\'')}`],
  ['of blanks', `<rdf:RDF><a${megabytes(' ')}`],
  ['of comments', `<rdf:RDF>${megabytes('<!--')}`],
  ['of closing tags', `<rdf:RDF>${megabytes('</a>')}`],
  ['of entities', xmpPacket({}, description(megabytes('&amp;&#x;&')))],
  ['of values', xmpPacket({}, megabytes('<dc:a>Steps: 1, Seed: 1</dc:a>'))],
  ['of settings', xmpPacket({}, description(megabytes('Steps: 1, ')))],
  ['of braces', xmpPacket({}, description(`{${megabytes('"a":{')}`))],
])('a hostile XMP block %s is read in less than two seconds', async (_, packet) => {
  const file = withChunks(png, xmpChunk(packet));
  const began = process.cpuUsage();

  expect(await declarationsOf(file)).toEqual([]);
  expect(process.cpuUsage(began).user / 1000).toBeLessThan(2000);
});

function megabytes(text: string): string {
  return text.repeat(Math.floor(4_000_000 / text.length));
}

function windows(text: string) {
  return { type: 1, bytes: utf16le(`${text}\0`) };
}

function description(text: string): string {
  return `<dc:description><rdf:Alt><rdf:li xml:lang="x-default">${text}</rdf:li></rdf:Alt></dc:description>`;
}

function xmpChunk(packet: string, isCompressed = false): Buffer {
  const head = Buffer.from(`XML:com.adobe.xmp\0${isCompressed ? '\x01' : '\0'}\0\0\0`, 'latin1');
  const bytes = Buffer.from(packet);
  return pngChunk('iTXt', Buffer.concat([head, isCompressed ? deflateSync(bytes) : bytes]));
}

function withProfile(name: string, bytes: Buffer): Buffer {
  const text = `\n${name}\n${bytes.length}\n${bytes.toString('hex').replaceAll(/(.{72})/g, '$1\n')}\n`;
  const head = Buffer.from(`Raw profile type ${name}\0\0`);
  return withChunks(png, pngChunk('zTXt', Buffer.concat([head, deflateSync(Buffer.from(text))])));
}

/** Only the parts with these numbers, of `of` in all. */
function withExtended(packet: string, parts: readonly number[], of = parts.length, id?: string) {
  const bytes = Buffer.from(packet);
  const md5 = createHash('md5').update(bytes).digest('hex').toUpperCase();
  const each = Math.ceil(bytes.length / of);
  const segments = parts.map((part) => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(bytes.length, 0);
    head.writeUInt32BE(part * each, 4);
    const piece = bytes.subarray(part * each, (part + 1) * each);
    const identifier = Buffer.from(`http://ns.adobe.com/xmp/extension/\0${id ?? md5}`);
    return jpegSegment(0xe1, Buffer.concat([identifier, head, piece]));
  });
  const main = xmpPacket({ 'xmpNote:HasExtendedXMP': md5 });
  return withSegments(jpeg, xmpSegment(main), ...segments);
}

/** In as many segments as needed, with the length in its extended form. */
function withIptcCaption(text: string): Buffer {
  const record = Buffer.from([0x1c, 2, 120, 0x80, 4, 0, 0, 0, 0]);
  record.writeUInt32BE(text.length, 5);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(record.length + text.length);
  const head = Buffer.from('8BIM\x04\x04\0\0', 'latin1');
  const resource = Buffer.concat([head, size, record, Buffer.from(text)]);
  const segments = Array.from({ length: Math.ceil(resource.length / 40_000) }, (_, i) => {
    const piece = resource.subarray(40_000 * i, 40_000 * (i + 1));
    return jpegSegment(0xed, Buffer.concat([Buffer.from('Photoshop 3.0\0'), piece]));
  });
  return withSegments(jpeg, ...segments);
}

const signer = await (await createAuthority('Authority of Tests')).issue('Signer of Tests');
const actions = [{ action: 'c2pa.created' }];
const namespace = { 'xmlns:dcterms': 'http://purl.org/dc/terms/' };
const inside = 'self#jumbf=/c2pa/urn:uuid:00000000-0000-4000-8000-000000000000';

function referringTo(text: string): string {
  return xmpPacket(namespace, `<dcterms:provenance>${text}</dcterms:provenance>`);
}

async function codesOf(file: Buffer): Promise<readonly unknown[]> {
  return (await provenanceOf(file)).warnings.map((one) => Object(one).code);
}

test.each([
  ['a JPEG', withXmp(referringTo(inside))],
  ['a PNG', withChunks(png, xmpChunk(referringTo(inside)))],
  ['an attribute', withXmp(xmpPacket({ ...namespace, 'dcterms:provenance': 'self#jumbf=c2pa' }))],
])('credentials removed from %s are reported', async (_, file) => {
  expect(await codesOf(file)).toEqual(['credentials_removed']);
});

test('embedded credentials cause no warning', async () => {
  const file = await withCredentials(withXmp(referringTo(inside)), { signer, actions });

  const { credentials, warnings } = await provenanceOf(file);

  expect(credentials?.integrity).toBe('valid');
  expect(warnings).toEqual([]);
});

test('unreadable metadata is reported, truncated metadata is not', async () => {
  const broken = jpegSegment(0xe1, 'Exif\0\0zzzzzzzzzzzz');
  const long = xmpSegment(referringTo('x'.repeat(9000)));

  expect(await codesOf(withSegments(jpeg, broken, long))).toEqual([
    'block_unreadable',
    'credentials_elsewhere',
  ]);
});
