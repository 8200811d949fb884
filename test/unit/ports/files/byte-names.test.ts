import { expect, test } from 'vitest';
import { nameOf, pathOf, shownName } from '../../../../src/ports/files/byte-names.ts';

const bytesOf = (name: string) => Buffer.from(pathOf(name));

test('names of any bytes are restored exactly', () => {
  // Pseudo-random bytes: all lengths, with valid and broken UTF-8 sequences.
  let state = 1;
  for (let n = 0; n < 3000; n++) {
    const bytes = Buffer.from(
      Array.from({ length: n % 12 }, () => {
        state = (state * 48_271) % 2_147_483_647;
        return [state & 0xff, 0xf0 + (state & 7), 0xc3, 0xa4, 0xed, 0xb2][state % 6]!;
      }),
    );

    expect(bytesOf(nameOf(bytes))).toEqual(bytes);
  }
});

test.each(['photo.jpg', 'Straße 😀.png', 'a\ufffdb', '\ufeff'])('%j is unchanged', (name) => {
  expect(nameOf(Buffer.from(name))).toBe(name);
  expect(pathOf(name)).toBe(name);
  expect(shownName(name)).toBe(name);
});

test('a byte that is not UTF-8 is shown by its number', () => {
  const name = nameOf(Buffer.from('M\xfcnchen \xe4.jpg', 'latin1'));

  expect(shownName(`/disk/${name}`)).toBe('/disk/M⟨0xFC⟩nchen ⟨0xE4⟩.jpg');
});
