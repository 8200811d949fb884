import { expect, test } from 'vitest';
import { listTable } from '../../../src/cli/output/layout.ts';

const head = ['uuid', 'name', 'reason'];
const id = '0c9f2a1e-7f55-4c1d-9d5b-1f6f3f0a2b7c';
const rows = [
  [id, 'ci', 'asked for by the court of the second instance'],
  [id.toUpperCase(), 'nightly', 'none'],
];

test('a record takes one line where there is room', () => {
  expect(listTable(head, rows, 120)).toBe(
    [
      'uuid                                  name     reason',
      `${id}  ci       asked for by the court of the second instance`,
      `${id.toUpperCase()}  nightly  none`,
    ].join('\n'),
  );
  expect(listTable(head, rows, Number.POSITIVE_INFINITY)).toBe(listTable(head, rows, 120));
});

test('long cells wrap within their column on a narrower terminal', () => {
  expect(listTable(head, rows, 72)).toBe(
    [
      'uuid                                  name     reason',
      `${id}  ci       asked for by the court of`,
      '                                               the second instance',
      `${id.toUpperCase()}  nightly  none`,
    ].join('\n'),
  );
});

test('a very narrow terminal has one field per line, and no word is cut', () => {
  expect(listTable(head, rows, 46)).toBe(
    [
      `uuid    ${id}`,
      'name    ci',
      'reason  asked for by the court of the second',
      '        instance',
      '',
      `uuid    ${id.toUpperCase()}`,
      'name    nightly',
      'reason  none',
    ].join('\n'),
  );
});

test.each([20, 46, 60, 72, 80, 100, 200])('no word is cut at %i columns', (columns) => {
  const words = listTable(head, rows, columns).split(/\s+/);

  expect(words).toEqual(expect.arrayContaining(rows.flat().flatMap((cell) => cell.split(' '))));
});

test('a thousand records have a line each, in the same columns under one heading', () => {
  const many = Array.from({ length: 1000 }, (_, n) => [String(n), n === 999 ? 'name' : '-']);

  const lines = listTable(['number', 'name'], many, 80).split('\n');

  expect(lines).toHaveLength(1001);
  expect([lines[0], lines[1], lines.at(-1)]).toEqual(['number  name', '0       -', '999     name']);
});

test('an empty list is only its heading', () => {
  expect(listTable(head, [], 80)).toBe('uuid  name  reason');
});
