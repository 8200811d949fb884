import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newFolder } from '../../../fixtures/folder.ts';
import { makeFolder } from '../../../../src/ports/files/files.ts';

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
