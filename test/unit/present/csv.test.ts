import { expect, test } from 'vitest';
import { csvText } from '../../../src/present/csv.ts';

test('fields are quoted only where RFC 4180 requires it', () => {
  const text = csvText([
    ['name', 'n'],
    ['a,b', 1],
    ['say "x"', 0.5],
    ['two\nlines', null],
  ]);

  expect(text).toBe('name,n\r\n"a,b",1\r\n"say ""x""",0.5\r\n"two\nlines",\r\n');
});

test('a text that a spreadsheet would run as a formula is escaped, a number is not', () => {
  const text = csvText([['=1+1', '@SUM(A1)', '-cmd', '\u{ff1d}1', 'a=b', -1]]);

  expect(text).toBe("'=1+1,'@SUM(A1),'-cmd,'\u{ff1d}1,a=b,-1\r\n");
});
