import { expect, test } from 'vitest';
import { csvText } from '../../../src/cli/csv.ts';

test('fields are quoted where RFC 4180 wants it, and nowhere else', () => {
  const text = csvText([
    ['name', 'n'],
    ['a,b', 1],
    ['say "x"', 0.5],
    ['two\nlines', null],
  ]);

  expect(text).toBe('name,n\r\n"a,b",1\r\n"say ""x""",0.5\r\n"two\nlines",\r\n');
});
