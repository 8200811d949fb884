import { expect, test } from 'vitest';
import { nearWord } from '../../../src/cli/errors.ts';

test.for([
  ['prot', 'port'],
  ['tenannt', 'tenant'],
  ['naem', 'name'],
  ['grac', 'grace'],
  ['expires-on', 'expires-in'],
] as const)('%s is taken for %s', ([word, meant]) => {
  expect(nearWord(word, ['port', 'tenant', 'name', 'grace', 'expires-in'])).toBe(meant);
});

test('the closest of several words is taken', () => {
  expect(nearWord('hosts', ['ports', 'host', 'boats'])).toBe('host');
});

test('a short word is not taken for every other short word', () => {
  expect(nearWord('no', ['on', 'to'])).toBeUndefined();
  expect(nearWord('json', ['port', 'name'])).toBeUndefined();
});
