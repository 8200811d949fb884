import { expect, test } from 'vitest';
import { nameIccProfile } from '../../../src/image/icc.ts';

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
