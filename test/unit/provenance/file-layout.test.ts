import { expect, test } from 'vitest';
import { jpegSegment, withSegments } from '../../fixtures/jpeg-segments.ts';
import { jpeg, png, provenanceOf } from './files.ts';

async function layoutOf(...parts: readonly (Buffer | string)[]) {
  const bytes = parts.map((part) =>
    typeof part === 'string' ? Buffer.from(part, 'latin1') : part,
  );
  return (await provenanceOf(Buffer.concat(bytes))).layout;
}

test.each([
  ['a JPEG', jpeg],
  ['a PNG', png],
])('%s alone is one picture with nothing after it', async (_, file) => {
  expect(await layoutOf(file)).toEqual({ trailingBytes: 0, trailingKind: null, pictures: 1 });
});

test.each([
  ['zip', 'PK\x03\x04abc'],
  ['pdf', '%PDF-1.7'],
  ['mp4', '\0\0\0\x18ftypmp42'],
  ['rar', 'Rar!\x1a\x07\0'],
  ['gzip', '\x1f\x8b\x08\0'],
  ['7z', '7z\xbc\xaf\x27\x1c'],
  ['executable', 'MZ\x90\0'],
  ['samsung-trailer', '\0\0\x01\x0babcSEFT'],
  ['zeros', '\0\0\0\0'],
  ['text', 'hello, world\n'],
  [null, '\x01\x02\x03\x04'],
])('%s after a picture is recognised by its content', async (trailingKind, trailing) => {
  const expected = { trailingBytes: trailing.length, trailingKind, pictures: 1 };

  expect(await layoutOf(jpeg, trailing)).toEqual(expected);
  expect(await layoutOf(png, trailing)).toEqual(expected);
});

test('complete pictures after the picture are counted', async () => {
  expect(await layoutOf(jpeg, jpeg, jpeg)).toMatchObject({ trailingKind: 'jpeg', pictures: 3 });
});

test('the start of a picture does not count as one', async () => {
  expect(await layoutOf(jpeg, jpeg.subarray(0, 100))).toMatchObject({ pictures: 1 });
});

test('the pictures of a multi-picture index are counted where they are', async () => {
  const first = withSegments(jpeg, multiPicture([0, 0, 0]));
  const base = 2 + 4 + 4;
  const offsets = [0, first.length - base, 2 ** 31];

  const { pictures } = await layoutOf(withSegments(jpeg, multiPicture(offsets)), jpeg);

  expect(pictures).toBe(2);
});

/** APP2 with an index of one entry per offset, relative to its own byte order mark. */
function multiPicture(offsets: readonly number[]): Buffer {
  const head = Buffer.from('MPF\0II*\0\x08\0\0\0\x01\0\x02\xb0\x07\0', 'latin1');
  const sizes = Buffer.alloc(12);
  sizes.writeUInt32LE(16 * offsets.length, 0);
  sizes.writeUInt32LE(26, 4);
  const entries = offsets.map((offset) => {
    const entry = Buffer.alloc(16);
    entry.writeUInt32LE(offset, 8);
    return entry;
  });
  return jpegSegment(0xe2, Buffer.concat([head, sizes, ...entries]));
}
