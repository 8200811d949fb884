import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newFolder } from '../../../fixtures/folder.ts';
import { makeFolder } from '../../../../src/ports/files/files.ts';
import { nameOf, pathOf, shownName } from '../../../../src/ports/files/byte-names.ts';

test('a folder is created with its missing parents, and creating it again succeeds', () => {
  const path = join(newFolder(), 'a', 'b', 'c');

  makeFolder(path, 0o700);
  makeFolder(path, 0o700);

  expect(statSync(path).mode & 0o777).toBe(0o700);
});

test('a file in the way of a folder is reported', () => {
  const file = join(newFolder(), 'file');
  writeFileSync(file, '');

  expect(() => makeFolder(file)).toThrow(expect.objectContaining({ code: 'EEXIST' }));
  expect(() => makeFolder(join(file, 'below'))).toThrow(
    expect.objectContaining({ code: expect.stringMatching(/^(?:EEXIST|ENOTDIR)$/) }),
  );
});

test.runIf(existsSync('/proc/self'))(
  'creating a folder fails on a file system that refuses new entries',
  () => {
    expect(() => makeFolder('/proc/forensics/results')).toThrow(
      expect.objectContaining({ code: 'ENOENT' }),
    );
  },
);

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
