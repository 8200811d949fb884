import { expect, test } from 'vitest';
import { printable } from '../../../src/present/printable.ts';

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
