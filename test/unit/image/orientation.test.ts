import { describe, expect, test } from 'vitest';
import { readOrientation } from '../../../src/image/orientation.ts';

interface Field {
  readonly tag?: number;
  readonly type?: number;
  readonly value: number;
}

/** A TIFF structure with one directory of these fields. */
function tiffOf(order: 'II' | 'MM', ...fields: readonly Field[]): Buffer {
  const isLittle = order === 'II';
  const tiff = Buffer.alloc(10 + 12 * fields.length + 4);
  const put16 = (value: number, at: number) =>
    isLittle ? tiff.writeUInt16LE(value, at) : tiff.writeUInt16BE(value, at);
  const put32 = (value: number, at: number) =>
    isLittle ? tiff.writeUInt32LE(value, at) : tiff.writeUInt32BE(value, at);
  tiff.write(order, 'latin1');
  put16(42, 2);
  put32(8, 4);
  put16(fields.length, 8);
  for (const [index, { tag = 0x0112, type = 3, value }] of fields.entries()) {
    const at = 10 + 12 * index;
    put16(tag, at);
    put16(type, at + 2);
    put32(1, at + 4);
    if (type === 4) put32(value, at + 8);
    else put16(value, at + 8);
  }
  return tiff;
}

describe.each(['II', 'MM'] as const)('in byte order %s', (order) => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])('%i is read, as a short and as a long number', (value) => {
    const other = { tag: 0x010f, value: 3 };

    expect(readOrientation([tiffOf(order, other, { value })])).toBe(value);
    expect(readOrientation([tiffOf(order, other, { type: 4, value })])).toBe(value);
  });

  test.each([0, 9, 65_535])('%i is not an orientation', (value) => {
    expect(readOrientation([tiffOf(order, { value })])).toBe(1);
  });

  test('truncating the block anywhere is harmless', () => {
    const tiff = tiffOf(order, { tag: 0x010f, value: 3 }, { value: 6 });

    const read = Array.from({ length: tiff.length + 1 }, (_, length) =>
      readOrientation([tiff.subarray(0, length)]),
    );

    // The entry ends four bytes before the block does.
    expect(read).toEqual([...Array(tiff.length - 4).fill(1), 6, 6, 6, 6, 6]);
  });
});

test('without a block, or with one that is not TIFF, the orientation is normal', () => {
  expect(readOrientation([])).toBe(1);
  expect(readOrientation([Buffer.from('Exif, but not really')])).toBe(1);
});

test('a block made only of entries is read quickly', () => {
  const entries = Array.from({ length: 20_000 }, () => ({ tag: 0x0100, type: 2, value: 1 }));

  const before = performance.now();
  const orientation = readOrientation([tiffOf('II', ...entries)]);

  expect(orientation).toBe(1);
  expect(performance.now() - before).toBeLessThan(500);
});
