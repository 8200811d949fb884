import { expect, test } from 'vitest';
import { listOf } from '../../../src/cli/options.ts';

test('listOf keeps the order that was given: the first language is the one that is printed', () => {
  expect(listOf(['en', 'de'])('de, en')).toEqual(['de', 'en']);
});

test('listOf takes each word once and refuses others', () => {
  expect(listOf(['en', 'de'])('de,de')).toEqual(['de']);
  expect(() => listOf(['en', 'de'])('de,fr')).toThrow(/en, de/);
});
