import { describe, expect, test } from 'vitest';
import { toTime } from '../../../../src/contract/common.ts';
import type { ReportQuery } from '../../../../src/contract/usage.ts';
import { createUsageReports } from '../../../../src/service/usage/usage.ts';
import { testDb } from '../../ports/db/temporary.ts';

const now = new Date('2026-03-10T15:30:00.000Z');
const tenant = { id: '0123456789abcdef01234567', createdAt: new Date('2026-01-02T03:04:05.000Z') };
async function report(query: ReportQuery) {
  return createUsageReports({ db: await testDb(), now: () => now }).report(tenant, query);
}

const range = async (startTime?: string, endTime?: string) =>
  report({
    type: 'range',
    ...(startTime === undefined ? {} : { startTime }),
    ...(endTime === undefined ? {} : { endTime }),
  });

test('the total runs from the creation of the tenant to now, whatever times are given', async () => {
  const total = {
    id: `${tenant.id}-total`,
    startTime: tenant.createdAt.toISOString(),
    endTime: now.toISOString(),
  };

  expect(await report({})).toMatchObject(total);
  expect(await report({ type: 'total', startTime: 'never' })).toMatchObject(total);
});

test('a range covers every UTC day that it touches in full', async () => {
  expect(await range('2026-03-01T23:59:59Z', '2026-03-03T00:00:00Z')).toMatchObject({
    id: `${tenant.id}-2026-03-01-2026-03-03`,
    startTime: '2026-03-01T00:00:00.000Z',
    endTime: '2026-03-03T23:59:59.999Z',
  });
});

test('an equal start and end mean that day', async () => {
  const day = await range('2026-03-01T12:00:00Z', '2026-03-01T12:00:00Z');

  expect(day).toMatchObject(daysFrom('2026-03-01', '2026-03-01'));
  expect(day.id).toBe(`${tenant.id}-2026-03-01`);
  expect(await range('2026-03-01', '2026-03-01')).toEqual(day);
});

function daysFrom(first: string, last: string) {
  return { startTime: `${first}T00:00:00.000Z`, endTime: `${last}T23:59:59.999Z` };
}

test.each([
  [undefined, undefined, daysFrom('2026-03-10', '2026-03-10')],
  ['2026-03-09T00:00:00Z', undefined, daysFrom('2026-03-09', '2026-03-10')],
  ['2026-03-11', '2026-03-12', daysFrom('2026-03-11', '2026-03-12')],
  ['2020-01-01', '2030-01-01', daysFrom('2020-01-01', '2030-01-01')],
  ['2026-03-10T15:00:00Z', '2026-03-10', daysFrom('2026-03-10', '2026-03-10')],
  [undefined, '2026-03-10', daysFrom('2026-03-10', '2026-03-10')],
])('from %s to %s is %j', async (start, end, days) => {
  expect(await range(start, end)).toMatchObject(days);
});

test.each([
  ['2026-03-02T00:30:00+01:00', '2026-03-01'],
  ['2026-03-02T00:30:00 01:00', '2026-03-01'],
  ['2026-03-01T23:30-0100', '2026-03-02'],
  ['2026-03-01T23:30:00.123456789-01', '2026-03-02'],
  ['2026-03-01T23:30:00,5', '2026-03-01'],
  ['2026-03-01t23:30:00z', '2026-03-01'],
  ['2024-02-29', '2024-02-29'],
])('%s falls on %s', async (text, day) => {
  expect(await range(text, text)).toMatchObject(daysFrom(day, day));
});

describe('a range refuses', () => {
  // The route refuses what is an invalid date.
  const malformed = `
    now 1772323200000 2026-03 2026-3-1 03/01/2026 2026-02-30 2025-02-29T10:00:00Z 2026-13-01
    2026-03-01T24:30:00Z 2026-03-01T10:60:00Z 2026-03-01T23:59:60Z 2026-03-01T10:00:00+25:00
    9999-12-31T23:59:00-01:00 0000-01-01T00:00:00+01:00 +010000-01-01T00:00:00Z`;
  test.each(['', ' 2026-03-01', ...malformed.trim().split(/\s+/)])('%j as a time', (text) => {
    expect(toTime(text).getTime()).toBeNaN();
  });

  test.each([
    ['2026-03-02', '2026-03-01'],
    ['2026-03-01T12:00:01Z', '2026-03-01T12:00:00Z'],
    [undefined, '2026-03-10T15:29:59Z'],
    ['2026-03-10T15:30:01Z', undefined],
  ])('a start after the end: %s, %s', async (start, end) => {
    await expect(range(start, end)).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
