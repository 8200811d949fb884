import { describe, expect, test } from 'vitest';
import { openPng } from '../../../src/image/png.ts';
import { scenePng } from '../../fixtures/pictures.ts';
import {
  pngChunk,
  pngHeader,
  pngSignature,
  splitPng,
  withChunks,
} from '../../fixtures/png-chunks.ts';
import { nameIccProfile } from '../../../src/image/icc.ts';

const plain = await scenePng({ width: 80, height: 70, seed: 3 });
const unreadable = expect.objectContaining({ code: 'image_unreadable' });

describe('openPng', () => {
  test('reads the header of a plain file, all of whose bytes are pixels', () => {
    const file = openPng(plain);

    expect(file).toMatchObject({ width: 80, height: 70, bitsPerSample: 8, colourSpace: 'RGB' });
    expect(file).toMatchObject({ hasAlpha: false, notes: [], texts: [], exif: [] });
    expect(file.pixelBytes!.length).toBeGreaterThan(plain.length - 100);
  });

  test('separates metadata from what the pixels need', () => {
    const chunks = [pngChunk('tEXt', 'Software\0x'), pngChunk('gAMA', Buffer.alloc(4))];
    const png = withChunks(plain, ...chunks);

    const file = openPng(png);
    const stripped = Buffer.from(file.pixelBytes!);

    expect(file.texts).toEqual([{ place: 'png-text', keyword: 'Software', text: 'x' }]);
    expect(splitPng(stripped).map(({ type }) => type)).not.toContain('tEXt');
    expect(openPng(stripped).width).toBe(80);
  });

  test.each([
    ['a flipped bit in the header', damage(plain, 20)],
    ['a first chunk that is not a header', Buffer.concat([pngSignature, pngChunk('IDAT', 'x')])],
    ['a chunk length beyond the file', hugeChunk()],
    ['a chunk without a name before the picture', withChunks(plain, pngChunk('a\0b!', 'x'))],
    ['no picture data', Buffer.concat([pngSignature, pngHeader(80, 70), pngChunk('IEND', '')])],
    ['a colour type that does not exist', withHeaderByte(25, 5)],
    ['a bit depth that the colour type does not have', withHeaderByte(24, 4)],
  ])('%s is refused', (_, png) => {
    expect(() => openPng(png)).toThrow(unreadable);
  });
});

function damage(png: Buffer, at: number): Buffer {
  const copy = Buffer.from(png);
  copy[at]! ^= 4;
  return copy;
}

function hugeChunk(): Buffer {
  const chunk = pngChunk('tEXt', 'x');
  chunk.writeUInt32BE(0xffffffff, 0);
  return withChunks(plain, chunk);
}

/** A header with one changed byte and a correct checksum. */
function withHeaderByte(at: number, value: number): Buffer {
  const data = Buffer.from(plain.subarray(16, 29));
  data[at - 16] = value;
  return Buffer.concat([pngSignature, pngChunk('IHDR', data), plain.subarray(33)]);
}

/** A profile with a header and one tag. */
function profileWith(tag: Buffer, claimed = tag.length): Buffer {
  const head = Buffer.alloc(144);
  head.write('acsp', 36, 'latin1');
  head.writeUInt32BE(1, 128);
  head.write('desc', 132, 'latin1');
  head.writeUInt32BE(144, 136);
  head.writeUInt32BE(claimed, 140);
  return Buffer.concat([head, tag]);
}

/** A `mluc` tag with one record whose text starts at byte 28. */
function multiLocalized(text: string): Buffer {
  const tag = Buffer.alloc(28);
  tag.write('mluc', 0, 'latin1');
  tag.writeUInt32BE(1, 8);
  tag.writeUInt32BE(2 * text.length, 20);
  tag.writeUInt32BE(28, 24);
  return Buffer.concat([tag, Buffer.from(text, 'utf16le').swap16()]);
}

const described = Buffer.from('desc\0\0\0\0\0\0\0\x0eAdobe RGB 98\0rest', 'latin1');

test('descriptions of both ICC versions are read', () => {
  expect(nameIccProfile(profileWith(described))).toBe('Adobe RGB 98');
  expect(nameIccProfile(profileWith(multiLocalized('Display P3 ü')))).toBe('Display P3 ü');
});

test('lengths past the end of the profile give what is there, or nothing', () => {
  expect(nameIccProfile(profileWith(described, 0xffffffff))).toBe('Adobe RGB 98');
  expect(nameIccProfile(profileWith(Buffer.from('desc')))).toBeNull();
});

test('a profile truncated at any length never throws', () => {
  const profile = profileWith(multiLocalized('sRGB'));

  const names = Array.from({ length: profile.length }, (_, length) =>
    nameIccProfile(profile.subarray(0, length)),
  );

  // Half a character becomes a replacement character.
  const pieces = names.map((name) => name?.replace('\u{fffd}', '') ?? '');
  expect(pieces.filter((piece) => !'sRGB'.startsWith(piece))).toEqual([]);
});

test('data that is not a profile has no name', () => {
  expect(nameIccProfile(Buffer.alloc(200))).toBeNull();
});
