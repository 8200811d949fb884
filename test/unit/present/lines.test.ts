import { expect, test } from 'vitest';
import { breakLines } from '../../../src/render/pdf/style.ts';

/** A font in which every character is one unit wide. */
const measure = (text: string) => Array.from(text).length;

test('text breaks at spaces and fills its lines', () => {
  expect(breakLines('the quick brown fox', 9, measure)).toEqual(['the quick ', 'brown fox']);
});

test('a word wider than the line is broken where the line is full', () => {
  expect(breakLines('id abcdefghij end', 4, measure)).toEqual([
    'id ',
    'abcd',
    'efgh',
    'ij ',
    'end',
  ]);
});

test('an address breaks after a slash, unless that leaves most of the line empty', () => {
  expect(breakLines('http://a.org/codes/type/aLongLastPart', 26, measure)).toEqual([
    'http://a.org/codes/type/',
    'aLongLastPart',
  ]);
  expect(breakLines('a/bcdefghijkl', 8, measure)).toEqual(['a/bcdefg', 'hijkl']);
});

test('a line always has at least one character, however narrow it is', () => {
  expect(breakLines('ab', 0.5, measure)).toEqual(['a', 'b']);
});

test('characters beyond 16 bits are not split', () => {
  expect(breakLines('😀😀😀', 2, measure)).toEqual(['😀😀', '😀']);
});

test('an empty text is one empty line', () => {
  expect(breakLines('', 10, measure)).toEqual(['']);
});

test('the lines joined give the text again', () => {
  const texts = ['a  b', ' a', 'a ', 'one two  three four', `sum ${'0123456789'.repeat(7)} end`];
  for (const text of texts) {
    for (const width of [1, 2, 5, 9, 100]) {
      expect(breakLines(text, width, measure).join('')).toBe(text);
    }
  }
});

test('a percent sign stays with its figure', () => {
  expect(breakLines('up to 3.9% of all', 9, (part) => part.length)).toEqual([
    'up to ',
    '3.9% of ',
    'all',
  ]);
});
