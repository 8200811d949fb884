import { describe, expect, test } from 'vitest';
import type { Language } from '../../../src/contract/vocabulary.ts';
import type { CellMap } from '../../../src/detectors/regions.ts';
import { largestParts, largestRegion, placeOf } from '../../../src/detectors/regions.ts';
import { wordsIn } from '../../../src/present/wording/catalogue.ts';

/** One character per cell: `#` is 1, `.` is 0.5. */
function mapOf(cellPx: number, lines: readonly string[]): CellMap {
  const columns = lines[0]!.length;
  const values = Float32Array.from(lines.join(''), (letter) => (letter === '#' ? 1 : 0.5));
  return { cellPx, columns, rows: lines.length, values };
}

describe('the largest region', () => {
  test.each([
    [
      'is the largest group of cells that touch by a side, in pixels',
      mapOf(8, ['##...', '##..#', '..###', '....#']),
      { width: 40, height: 32 },
      { left: 16, top: 8, width: 24, height: 24, share: 5 / 20 },
    ],
    [
      'continues around corners',
      mapOf(1, ['#####', '....#', '###.#', '#...#', '#####']),
      { width: 5, height: 5 },
      { left: 0, top: 0, width: 5, height: 5, share: 17 / 25 },
    ],
    [
      'does not continue past the end of a row',
      mapOf(2, ['...##', '##...', '.....']),
      { width: 10, height: 6 },
      { left: 6, top: 0, width: 4, height: 2, share: 2 / 15 },
    ],
    [
      'counts only what lies inside the picture',
      mapOf(16, ['..', '.#']),
      { width: 20, height: 18 },
      { left: 16, top: 16, width: 4, height: 2, share: 8 / 360 },
    ],
    [
      'is null if no cell is high enough, or a number',
      { ...mapOf(8, ['..']), values: new Float32Array([0.5, Number.NaN]) },
      { width: 16, height: 8 },
      null,
    ],
  ])('%s', (_, map, size, region) => {
    expect(largestRegion(map, 0.75, size)).toEqual(region);
  });
});

const at = (left: number, top: number, width: number, height: number) =>
  placeOf({ left, top, width, height, share: 0 }, { width: 900, height: 600 });

const acrossBottom = [
  'across the whole width at the bottom',
  'unten über die ganze Breite',
] as const;
const almostEverywhere = ['across almost the whole picture', 'fast im ganzen Bild'] as const;

test.each([
  [at(0, 0, 100, 100), 'upper_left', 'in the upper left', 'links oben'],
  [at(400, 20, 100, 100), 'top', 'at the top', 'oben'],
  [at(700, 250, 150, 100), 'right', 'on the right', 'rechts'],
  [at(300, 200, 300, 200), 'middle', 'in the middle', 'in der Mitte'],
  [at(620, 420, 280, 180), 'lower_right', 'in the lower right', 'rechts unten'],
  [at(0, 500, 900, 100), 'across_bottom', ...acrossBottom],
  [
    at(10, 10, 100, 560),
    'along_left',
    'on the left, from top to bottom',
    'links über die ganze Höhe',
  ],
  [at(10, 10, 880, 580), 'almost_everywhere', ...almostEverywhere],
] as const)('the place %s is assigned and named in words', (place, code, en, de) => {
  expect(place).toBe(code);
  expect(wordsIn('en').findings.places[place]).toBe(en);
  expect(wordsIn('de').findings.places[place]).toBe(de);
});

test.each([
  [0.001, 'less than 1%', 'weniger als 1 %'],
  [0.124, '12%', '12 %'],
  [1, '100%', '100 %'],
])('a share of %d reads %s', (share, en, de) => {
  expect(wordsIn('en').findings.writeShare(share)).toBe(en);
  expect(wordsIn('de').findings.writeShare(share)).toBe(de);
});

test.each([
  [0.001, '(less than 1%)', '(weniger als 1 %)'],
  [0.005, '(about 1%)', '(etwa 1 %)'],
  [0.124, '(about 12%)', '(etwa 12 %)'],
])('a share of about %d reads %s', (comparedShare, en, de) => {
  const sentenceIn = (language: Language) =>
    wordsIn(language).findings.statements.no_copies_where_compared({ comparedShare });

  expect(sentenceIn('en')).toContain(en);
  expect(sentenceIn('de')).toContain(de);
});

test('marking more than half of a picture locates nothing', () => {
  const size = { width: 16, height: 8 };
  const half = mapOf(4, ['##..', '##..']);
  const more = mapOf(4, ['###.', '##..']);

  expect(largestParts(half, 0.75, size, 1)).toMatchObject([{ left: 0, width: 8, share: 0.5 }]);
  expect(largestParts(more, 0.75, size, 1)).toEqual([]);
});
