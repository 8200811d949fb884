import { expect, test } from 'vitest';
import { cleanText, keepTags } from '../../../src/image/metadata.ts';

test('numbers stay numbers, texts texts, and nothing else is kept', () => {
  const tags = new Map<string, unknown>([
    ['iso', 200],
    ['make', ' Acme '],
    ['empty', '  '],
    ['broken', Number.NaN],
    ['list', [1, 2]],
    ['missing', undefined],
  ]);

  expect(keepTags('EXIF', tags, [])).toEqual({ iso: 200, make: 'Acme' });
});

test('what tells of a place is left out', () => {
  const names = ['GPSLatitude', 'GPSDateStamp', 'exif:GPSLongitude', 'Latitude', 'City'];
  const tags = new Map(names.map((name) => [name, '1']));

  expect(keepTags('XMP', tags.set('where', 'GPSLatitude: 51,30N'), [])).toEqual({ City: '1' });
});

test('too many and too long entries are cut, with a warning', () => {
  const warnings: string[] = [];
  const tags = new Map(Array.from({ length: 201 }, (_, i) => [`${i}`, 'x'.repeat(2001)]));

  const kept = keepTags('EXIF', tags, warnings);

  expect(Object.keys(kept)).toHaveLength(200);
  expect(Object.values(kept).every((text) => `${text}`.length === 2000)).toBe(true);
  expect(warnings).toEqual([
    'EXIF: only the first 200 entries were kept.',
    'EXIF: long texts were cut to 2000 characters.',
  ]);
});

test('texts become printable and well-formed', () => {
  expect(cleanText('a\0\0b\u{1b}[2Jc\td\ne')).toBe('a b [2Jc\td\ne');
  expect(cleanText('a\ud83d')).toBe('a\u{fffd}');
  expect(cleanText('ab🐈', 3)).toBe('ab\u{fffd}');
  expect(cleanText('🐈')).toBe('🐈');
});
