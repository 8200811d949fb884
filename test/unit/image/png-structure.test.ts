import { describe, expect, test } from 'vitest';
import { pngPixelBytes, readPng } from '../../../src/image/png.ts';
import { scenePng } from '../../fixtures/pictures.ts';
import {
  pngChunk,
  pngHeader,
  pngSignature,
  splitPng,
  withChunks,
} from '../../fixtures/png-chunks.ts';

const plain = await scenePng({ width: 80, height: 70, seed: 3 });
const unreadable = expect.objectContaining({ code: 'image_unreadable' });

describe('readPng', () => {
  test('reads the header of a plain file, all of whose bytes are pixels', () => {
    const file = readPng(plain);

    expect(file).toMatchObject({ width: 80, height: 70, bitDepth: 8, colourType: 2 });
    expect(file).toMatchObject({ hasAlpha: false, isAnimated: false, metadataChunks: [] });
    expect(pngPixelBytes(file).length).toBeGreaterThan(plain.length - 100);
  });

  test('separates metadata from what the pixels need', () => {
    const png = withChunks(
      plain,
      pngChunk('tEXt', 'Software\0x'),
      pngChunk('gAMA', Buffer.alloc(4)),
    );

    const file = readPng(png);
    const stripped = Buffer.from(pngPixelBytes(file));

    expect(file.metadataChunks.map(({ type }) => type)).toEqual(['tEXt']);
    expect(splitPng(stripped).map(({ type }) => type)).not.toContain('tEXt');
    expect(readPng(stripped).width).toBe(80);
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
    expect(() => readPng(png)).toThrow(unreadable);
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
