import { expect, test } from 'vitest';
import { isNearly, saySame, shortened } from '../../bin/manual/normal.ts';

const hash = 'ab'.repeat(32);

test.for([
  ['written at 2026-01-01T00:00:00.000Z', 'written at 2027-12-31T23:59:59.999Z'],
  [`the hash ${hash}.`, `the hash ${'cd'.repeat(32)}.`],
  ['key sk-abcd1234-... (shown only now)', `key sk-wxyz9876-${'k'.repeat(38)} (shown only now)`],
  ['P(fake) 0.29 ± 0.23, at 29%', 'P(fake) 0.31 ± 0.20, at 31%'],
  ['2 pictures in 1.4 s', '2 pictures in 11 s'],
] as const)('"%s" equals "%s"', ([one, other]) => {
  expect(saySame(one, other)).toBe(true);
});

test.for([
  ['Result uncertain', 'Result fake'],
  ['2 pictures', '3 pictures'],
  ['one line\nand another', 'one line and another'],
  ['P(fake) 0.29', 'P(fake) 0.91'],
  ['exit code 7', 'exit code 1'],
] as const)('"%s" differs from "%s"', ([one, other]) => {
  expect(saySame(one, other)).toBe(false);
});

test('exact output may differ only in values of the model', () => {
  expect(isNearly('fake 0.29', 'fake 0.30')).toBe(true);
  expect(isNearly(`model ${hash}`, `model ${'cd'.repeat(32)}`)).toBe(false);
});

test('no full secret gets into the manual', () => {
  expect(shortened(`key sk-abcd1234-${'k'.repeat(38)}.`)).toBe('key sk-abcd1234-....');
});
