/** When satellite time and camera time contradict each other, and when there is a benign cause. */

import { describe, expect, test } from 'vitest';
import type { ExifParts } from '../../fixtures/exif.ts';
import { codesOf, provenanceOf, wholes, withExif } from './files.ts';

/** London; on the hour. */
function receiver(hours: number, date: string): NonNullable<ExifParts['gps']> {
  return { 0x0002: wholes(51, 30, 12), 0x0007: wholes(hours, 0, 0), 0x001d: date };
}

/** A picture taken at `at`, in a zone if one is given, and the hour and date of the satellites. */
function of(at: string, hours: number, date = '2026:03:01', zone?: string): ExifParts {
  return { exif: { 0x9003: at, ...(zone && { 0x9011: zone }) }, gps: receiver(hours, date) };
}

const noon = '2026:03:01 12:00:00';

describe('satellite time', () => {
  test.each<[string, ExifParts]>([
    ['eleven hours away, as zones may explain,', of(noon, 23)],
    ['that fits a known zone exactly', of(noon, 11, '2026:03:01', '+01:00')],
    ['with a week rollover', of('2019:05:04 12:00:00', 12, '1999:09:18')],
    ['with a week rollover, a day off,', of('2021:11:20 23:30:00', 4, '2002:04:07')],
    ['with two week rollovers', of(noon, 11, '1986:12:28')],
    ['without a fix, at the Unix epoch,', of(noon, 0, '1970:01:01')],
    ['without a fix, at the GPS epoch,', of(noon, 0, '1980:01:06')],
    ['without a fix, at the first week rollover,', of(noon, 0, '1999:08:22')],
    ['without a fix, at the second,', of(noon, 0, '2019:04:07')],
    ['beside a camera clock that was never set', of('2000:01:01 00:03:10', 12)],
    ['beside a camera clock that starts at its own year', of('2012:01:01 00:00:31', 12)],
    ['beside a camera clock that was reset some hours ago', of('2015:01:01 07:45:00', 12)],
    ['beside a camera without a clock', of('0000:00:00 00:00:00', 12)],
    ['with the local date', of('2026:03:02 07:00:00', 22, '2026:03:02', '+09:00')],
    ['with the local time', of(noon, 12, '2026:03:01', '+09:00')],
    ['across the date line', of('2026:03:02 06:00:00', 17)],
  ])('%s contradicts nothing', async (_, parts) => {
    expect(await codesOf(withExif(parts))).toEqual([]);
  });

  test.each<[string, ExifParts]>([
    ['a day away', of(noon, 12, '2026:03:03')],
    ['three hours off a known zone', of(noon, 14, '2026:03:01', '+01:00')],
    ['1,020 weeks away', of('2019:05:04 12:00:00', 12, '1999:10:16')],
    ['two years away', of(noon, 12, '2024:03:01')],
  ])('%s is reported', async (_, parts) => {
    expect(await codesOf(withExif(parts))).toEqual(['gps_time_differs']);
  });

  test('is the only part of a position that is reported', async () => {
    const provenance = await provenanceOf(withExif(of(noon, 12, '2026:03:03')));

    expect(JSON.stringify(provenance)).not.toMatch(/51|12/);
  });
});
