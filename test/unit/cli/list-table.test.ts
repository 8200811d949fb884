import { expect, test } from 'vitest';
import { listTable } from '../../../src/cli/output/layout.ts';

const head = ['uuid', 'name', 'reason'];
const id = '0c9f2a1e-7f55-4c1d-9d5b-1f6f3f0a2b7c';
const rows = [
  [id, 'ci', 'asked for by the court of the second instance'],
  [id.toUpperCase(), 'nightly', 'none'],
];

test('where there is room a record is a line', () => {
  expect(listTable(head, rows, 120)).toBe(
    [
      'uuid                                  name     reason',
      `${id}  ci       asked for by the court of the second instance`,
      `${id.toUpperCase()}  nightly  none`,
    ].join('\n'),
  );
  expect(listTable(head, rows, Number.POSITIVE_INFINITY)).toBe(listTable(head, rows, 120));
});

test('texts go on below themselves when the terminal is narrower', () => {
  expect(listTable(head, rows, 72)).toBe(
    [
      'uuid                                  name     reason',
      `${id}  ci       asked for by the court of`,
      '                                               the second instance',
      `${id.toUpperCase()}  nightly  none`,
    ].join('\n'),
  );
});

test('in a narrow one each record is a few lines, and no word is cut', () => {
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

test.each([20, 46, 60, 72, 80, 100, 200])('at %i columns every word is whole', (columns) => {
  const words = listTable(head, rows, columns).split(/\s+/);

  expect(words).toEqual(expect.arrayContaining(rows.flat().flatMap((cell) => cell.split(' '))));
});

test('hundreds of records have a line each, in the same columns under one head', () => {
  const many = Array.from({ length: 1000 }, (_, n) => [String(n), n === 999 ? 'name' : '-']);

  const lines = listTable(['number', 'name'], many, 80).split('\n');

  expect(lines).toHaveLength(1001);
  expect([lines[0], lines[1], lines.at(-1)]).toEqual(['number  name', '0       -', '999     name']);
});

test('an empty list is its head', () => {
  expect(listTable(head, [], 80)).toBe('uuid  name  reason');
});
