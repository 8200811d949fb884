/** When satellite time and camera time contradict each other, and when there is a benign cause. */

import { describe, expect, test } from 'vitest';
import type { ExifParts } from '../../fixtures/exif.ts';
import { codesOf, provenanceOf, wholes, withExif } from './files.ts';

const taken = { 0x9003: '2026:03:01 12:00:00' };

/** London; on the hour. */
function receiver(hours: number, date = '2026:03:01'): NonNullable<ExifParts['gps']> {
  return { 0x0002: wholes(51, 30, 12), 0x0007: wholes(hours, 0, 0), 0x001d: date };
}

describe('satellite time', () => {
  test.each<[string, ExifParts, readonly string[]]>([
    ['eleven hours away, as zones may explain', { exif: taken, gps: receiver(23) }, []],
    ['a day away', { exif: taken, gps: receiver(12, '2026:03:03') }, ['gps_time_differs']],
    [
      'an exact fit with a known zone',
      { exif: { ...taken, 0x9011: '+01:00' }, gps: receiver(11) },
      [],
    ],
    [
      'three hours off a known zone',
      { exif: { ...taken, 0x9011: '+01:00' }, gps: receiver(14) },
      ['gps_time_differs'],
    ],
  ])('%s', async (_, parts, codes) => {
    expect(await codesOf(withExif(parts))).toEqual(codes);
  });

  const clock = (date: string, hours: number) => ({ gps: receiver(hours, date) });
  test.each<[string, ExifParts]>([
    [
      'with a week rollover',
      { exif: { 0x9003: '2019:05:04 12:00:00' }, ...clock('1999:09:18', 12) },
    ],
    [
      'with a week rollover, a day off',
      { exif: { 0x9003: '2021:11:20 23:30:00' }, ...clock('2002:04:07', 4) },
    ],
    ['with two week rollovers', { exif: taken, ...clock('1986:12:28', 11) }],
    ['without a fix, at the Unix epoch', { exif: taken, ...clock('1970:01:01', 0) }],
    ['without a fix, at the GPS epoch', { exif: taken, ...clock('1980:01:06', 0) }],
    ['without a fix, at the first week rollover', { exif: taken, ...clock('1999:08:22', 0) }],
    ['without a fix, at the second', { exif: taken, ...clock('2019:04:07', 0) }],
    [
      'whose camera clock was never set',
      { exif: { 0x9003: '2000:01:01 00:03:10' }, ...clock('2026:03:01', 12) },
    ],
    [
      'whose camera clock starts at its own year',
      { exif: { 0x9003: '2012:01:01 00:00:31' }, ...clock('2026:03:01', 12) },
    ],
    [
      'whose camera clock was reset some hours ago',
      { exif: { 0x9003: '2015:01:01 07:45:00' }, ...clock('2026:03:01', 12) },
    ],
    [
      'whose camera has no clock',
      { exif: { 0x9003: '0000:00:00 00:00:00' }, ...clock('2026:03:01', 12) },
    ],
    [
      'with the local date',
      { exif: { 0x9003: '2026:03:02 07:00:00', 0x9011: '+09:00' }, ...clock('2026:03:02', 22) },
    ],
    ['with the local time', { exif: { ...taken, 0x9011: '+09:00' }, ...clock('2026:03:01', 12) }],
    [
      'across the date line',
      { exif: { 0x9003: '2026:03:02 06:00:00' }, ...clock('2026:03:01', 17) },
    ],
  ])('of a receiver %s contradicts nothing', async (_, parts) => {
    expect(await codesOf(withExif(parts))).toEqual([]);
  });

  test.each<[string, ExifParts]>([
    ['1,020 weeks', { exif: { 0x9003: '2019:05:04 12:00:00' }, ...clock('1999:10:16', 12) }],
    ['two years', { exif: taken, ...clock('2024:03:01', 12) }],
  ])('%s away is reported', async (_, parts) => {
    expect(await codesOf(withExif(parts))).toEqual(['gps_time_differs']);
  });

  test('is the only part of a position that is reported', async () => {
    const provenance = await provenanceOf(
      withExif({ exif: taken, gps: receiver(12, '2026:03:03') }),
    );

    expect(JSON.stringify(provenance)).not.toMatch(/51|12/);
  });
});
