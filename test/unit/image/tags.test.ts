import { expect, test } from 'vitest';
import { readMetadata } from '../../../src/image/metadata.ts';

function readTexts(entries: readonly (readonly [string, string])[]) {
  const texts = entries.map(([keyword, text]) => ({ place: 'png-text', keyword, text }) as const);
  return readMetadata({ exif: [], xmp: [], photoshop: [], texts, warnings: [] }).metadata;
}

test('empty texts and positions are left out', () => {
  const names = ['GPSLatitude', 'GPSDateStamp', 'exif:GPSLongitude', 'Latitude', 'City'];

  const { pngText, hasGps } = readTexts([
    ...names.map((name) => [name, '1'] as const),
    ['where', 'GPSLatitude: 51,30N'],
    ['empty', '  '],
    ['make', ' Acme '],
  ]);

  expect(pngText).toEqual({ City: '1', make: 'Acme' });
  expect(hasGps).toBe(true);
});

test('texts become printable and well-formed', () => {
  const texts = { escape: 'a\u{1b}[2Jc\td\ne\0\0rest', half: 'a\ud83d', cat: '🐈' };

  const { pngText } = readTexts([...Object.entries(texts), ['cut', `${'x'.repeat(1999)}🐈`]]);

  expect(pngText).toEqual({
    escape: 'a [2Jc\td\ne',
    half: 'a\u{fffd}',
    cat: '🐈',
    cut: `${'x'.repeat(1999)}\u{fffd}`,
  });
});
