import { expect, test } from 'vitest';
import { createNumberWriter } from '../../../src/present/wording/catalogue.ts';
import { printable } from '../../../src/present/text.ts';

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

test('European letters, digits and punctuation are unchanged', () => {
  const name = 'Straße_1 – Καλημέρα, Привет, Łódź (Ålesund) “1”.jpg';

  expect(printable(name)).toBe(name);
});

test.each([
  ['direction override', 'a\u202Eb', 'a⟨U+202E⟩b'],
  ['line break and tab', 'a\r\n\tb', 'a⟨U+000D⟩⟨U+000A⟩⟨U+0009⟩b'],
  ['zero-width space', 'a\u200Bb', 'a⟨U+200B⟩b'],
  ['right-to-left letters', '\u05D0\u0628', '⟨U+05D0⟩⟨U+0628⟩'],
  ['a character beyond the font', '\u{1F600}', '⟨U+1F600⟩'],
  ['half of a surrogate pair', 'a\uD83D', 'a⟨U+D83D⟩'],
  ['our own brackets', '⟨U+0041⟩', '⟨U+27E8⟩U+0041⟨U+27E9⟩'],
  ['a byte that is not UTF-8 (only once)', 'B⟨0xE4⟩r', 'B⟨0xE4⟩r'],
  ['what only resembles such a byte', '⟨0x41⟩', '⟨U+27E8⟩0x41⟨U+27E9⟩'],
  ['accents piled up', 'q\u0308\u0308\u0308', 'q\u0308⟨U+0308⟩⟨U+0308⟩'],
])('%s is written out', (_, text, shown) => {
  expect(printable(text)).toBe(shown);
});

test('a name in decomposed form reads like its composed form', () => {
  expect(printable('u\u0308ber')).toBe('über');
});

test('the longest sentence of our own is not shortened', () => {
  const sentence = 'The file says so. '.repeat(40);

  expect(printable(sentence)).toBe(sentence);
});

test('a long text is shortened in the middle, with the number of characters left out', () => {
  const text = `${'a'.repeat(1000)}.jpg`;

  expect(printable(text, 100)).toBe(`${'a'.repeat(75)}⟨… 904 …⟩${'a'.repeat(21)}.jpg`);
  expect(printable('x'.repeat(100), 100)).toBe('x'.repeat(100));
});
