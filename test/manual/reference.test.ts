import { expect, test } from 'vitest';
import { blocksOf, readManual } from './manual.ts';
import { withReference } from './reference.ts';
import { wayOf } from './ways.ts';

test('the reference is that of the code; "npm run manual" writes it anew', () => {
  const manual = readManual();

  expect(manual).toBe(withReference(manual));
});

test('every block of the manual has a name of its own, and a test that knows it', () => {
  const names = blocksOf(readManual()).map(({ name }) => name);

  expect(names.toSorted()).toEqual(Object.keys(wayOf).toSorted());
});
