import { describe, expect, test } from 'vitest';
import { toPeriod } from '../../../../src/service/usage/usage.ts';

const now = new Date('2026-03-10T15:30:00.000Z');
const tenant = { id: '0123456789abcdef01234567', createdAt: new Date('2026-01-02T03:04:05.000Z') };

const range = (startTime?: string, endTime?: string) =>
  toPeriod(
    tenant,
    {
      type: 'range',
      ...(startTime === undefined ? {} : { startTime }),
      ...(endTime === undefined ? {} : { endTime }),
    },
    now,
  );

test('the total goes from the making of the tenant to now, whatever times come with it', () => {
  const total = {
    id: `${tenant.id}-total`,
    startTime: tenant.createdAt,
    endTime: now,
    days: null,
    isLive: true,
  };

  expect(toPeriod(tenant, {}, now)).toEqual(total);
  expect(toPeriod(tenant, { type: 'total', startTime: 'never' }, now)).toEqual(total);
});

test('a range is every UTC day that it touches, whole', () => {
  expect(range('2026-03-01T23:59:59Z', '2026-03-03T00:00:00Z')).toEqual({
    id: `${tenant.id}-2026-03-01-2026-03-03`,
    startTime: new Date('2026-03-01T00:00:00.000Z'),
    endTime: new Date('2026-03-03T23:59:59.999Z'),
    days: ['2026-03-01', '2026-03-03'],
    isLive: false,
  });
});

test('a start that is the end means that day', () => {
  const day = range('2026-03-01T12:00:00Z', '2026-03-01T12:00:00Z');

  expect(day.days).toEqual(['2026-03-01', '2026-03-01']);
  expect(day.id).toBe(`${tenant.id}-2026-03-01`);
  expect(range('2026-03-01', '2026-03-01')).toEqual(day);
});

test.each([
  [undefined, undefined, ['2026-03-10', '2026-03-10'], true],
  ['2026-03-09T00:00:00Z', undefined, ['2026-03-09', '2026-03-10'], true],
  ['2026-03-11', '2026-03-12', ['2026-03-11', '2026-03-12'], false],
  ['2020-01-01', '2030-01-01', ['2020-01-01', '2030-01-01'], true],
])('from %s to %s is %j, live: %s', (start, end, days, isLive) => {
  expect(range(start, end)).toMatchObject({ days, isLive });
});

test.each([
  ['2026-03-02T00:30:00+01:00', '2026-03-01'],
  ['2026-03-02T00:30:00 01:00', '2026-03-01'],
  ['2026-03-01T23:30-0100', '2026-03-02'],
  ['2026-03-01T23:30:00.123456789-01', '2026-03-02'],
  ['2026-03-01T23:30:00,5', '2026-03-01'],
  ['2026-03-01t23:30:00z', '2026-03-01'],
  ['2024-02-29', '2024-02-29'],
])('%s lies on %s', (text, day) => {
  expect(range(text, text).days).toEqual([day, day]);
});

describe('refused is', () => {
  test.each([
    '',
    'now',
    '1772323200000',
    '2026-03',
    '2026-3-1',
    '03/01/2026',
    '2026-02-30',
    '2025-02-29T10:00:00Z',
    '2026-13-01',
    '2026-03-01T24:30:00Z',
    '2026-03-01T10:60:00Z',
    '2026-03-01T23:59:60Z',
    '2026-03-01T10:00:00+25:00',
    '9999-12-31T23:59:00-01:00',
    '0000-01-01T00:00:00+01:00',
    '+010000-01-01T00:00:00Z',
    ' 2026-03-01',
  ])('%j as a time', (text) => {
    const refusal = expect.objectContaining({ code: 'invalid_request', status: 400 });

    expect(() => range(text, '9999-01-01')).toThrow(refusal);
    expect(() => range('0000-01-02', text)).toThrow(refusal);
  });

  test.each([
    ['2026-03-02', '2026-03-01'],
    ['2026-03-01T12:00:01Z', '2026-03-01T12:00:00Z'],
    [undefined, '2026-03-10T15:29:59Z'],
    ['2026-03-10T15:30:01Z', undefined],
  ])('a start after the end: %s, %s', (start, end) => {
    expect(() => range(start, end)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});
