import { expect, test } from 'vitest';
import { createNumberWriter } from '../../../src/present/numbers.ts';

const en = createNumberWriter('en');
const de = createNumberWriter('de');

test('a score never rounds to certainty', () => {
  expect([0, 0.004, 0.005, 0.5, 0.994, 0.996, 1].map(en.score)).toEqual([
    '0.00',
    'below 0.01',
    '0.01',
    '0.50',
    '0.99',
    'above 0.99',
    '1.00',
  ]);
  expect([0.00001, 0.9999].map(de.exact)).toEqual(['< 0,001', '> 0,999']);
});

test('negative values have a true minus sign, and zero never has one', () => {
  expect([-0.044, -0.0004, -0.9].map(en.exact)).toEqual(['−0.044', '0.000', '−0.900']);
});

test('a value that is not a number is called not available', () => {
  expect([en.score(Number.NaN), de.count(Number.NaN), en.plain(Infinity)]).toEqual([
    'not available',
    'nicht verfügbar',
    'not available',
  ]);
});

test('large numbers are grouped by language', () => {
  expect([0, 999, 1000, 1234567].map(en.count)).toEqual(['0', '999', '1,000', '1,234,567']);
  expect([1000, 1234567].map(de.count)).toEqual(['1.000', '1.234.567']);
});

test('plain numbers keep four significant digits', () => {
  expect([0.47154, 17, 12345.678, 1.96].map(en.plain)).toEqual(['0.4715', '17', '12,346', '1.96']);
  expect(de.plain(0.47154)).toBe('0,4715');
});

test('times are written in UTC to the second', () => {
  const time = new Date('2026-03-01T12:00:00.999Z');

  expect(en.time(time)).toBe('2026-03-01 12:00:00 UTC');
  expect(de.time(time)).toBe('01.03.2026, 12:00:00 UTC');
});

test.each([
  ['2014-11-11', '2014-11-11', '11.11.2014'],
  ['2014-11-11T14:03:22', '2014-11-11 14:03:22', '11.11.2014, 14:03:22'],
  ['2014-11-11T14:03', '2014-11-11 14:03', '11.11.2014, 14:03'],
  ['2014-11-11T14:03:22.5+01:00', '2014-11-11 14:03:22 +01:00', '11.11.2014, 14:03:22 +01:00'],
  ['2014-11-11T13:03:22Z', '2014-11-11 13:03:22 UTC', '11.11.2014, 13:03:22 UTC'],
  ['yesterday', 'yesterday', 'yesterday'],
])('a file that states %s is quoted as %s, %s', (time, english, german) => {
  expect([en.stated(time), de.stated(time)]).toEqual([english, german]);
});

test('a range states its unit once, and is not available without numbers', () => {
  expect([en.range(0, 0.8584), de.range(0.76149, 1)]).toEqual([
    '0.000 to 0.858',
    '0,761 bis 1,000',
  ]);
  expect([en.rates(0, 0.0166), de.rates(0.1, 0.2)]).toEqual(['0.0 to 1.7%', '10,0 bis 20,0 %']);
  expect(en.rates(Number.NaN, 1)).toBe('not available');
});
