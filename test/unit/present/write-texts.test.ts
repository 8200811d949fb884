import { describe, expect, test } from 'vitest';
import {
  type Language,
  languages,
  type ReasonCode,
  reasonCodes,
  resultClasses,
} from '../../../src/contract/vocabulary.ts';
import type { Examination } from '../../../src/detectors/result.ts';
import type { ReportTexts } from '../../../src/present/report-item.ts';
import { writeTexts, readMap } from '../../../src/present/report-texts.ts';
import { declaration, item, makeDeclared, makeExamination, makeMaps } from './examination.ts';

const reasonSets: readonly (readonly ReasonCode[])[] = [
  [],
  ...reasonCodes.map((code) => [code]),
  reasonCodes,
];
const seeds = [0, 1, 2, 1337, -5, 2 ** 31];

describe.each(resultClasses)('texts of a result %s', (resultClass) => {
  test('are full sentences in both languages for every set of reasons', () => {
    for (const reasons of reasonSets) {
      for (const language of languages) {
        const examination = makeExamination({ resultClass, reasons });
        for (const text of allTexts(writeTexts(examination, item, language))) {
          expect(text).not.toMatch(/undefined|null|NaN|\[object|\$\{| {2}/);
          expect(text).toMatch(/^[\p{L}\d].*[.]$/su);
        }
      }
    }
  });

  test('contain the same figures in both languages, whatever the seed', () => {
    for (const reasons of reasonSets) {
      for (const seed of seeds) {
        const examination = makeExamination({ resultClass, reasons, seed });
        const en = figures(examination, 'en');

        expect(figures(examination, 'de')).toEqual(en);
        expect(en).toEqual(figures(makeExamination({ resultClass, reasons }), 'en'));
        for (const other of [
          makeDeclared(examination, declaration),
          { ...examination, measured: [] },
        ]) {
          expect(figures(other, 'de')).toEqual(figures(other, 'en'));
        }
      }
    }
  });
});

test('every reason is explained, named in the summary, and followed by advice', () => {
  const languageTexts = languages.flatMap((language) =>
    reasonCodes.map((code) => {
      const examination = makeExamination({ resultClass: 'abstain', reasons: [code] });
      return writeTexts(examination, item, language);
    }),
  );

  const distinct = (pick: (texts: ReportTexts) => string) => new Set(languageTexts.map(pick)).size;
  expect(distinct((texts) => texts.summary)).toBe(2 * reasonCodes.length);
  expect(distinct((texts) => texts.forensic)).toBe(2 * reasonCodes.length);
  expect(distinct((texts) => texts.conclusion)).toBe(2 * reasonCodes.length);
});

test('the seed changes only the wording', () => {
  const texts = seeds.map((seed) => writeTexts(makeExamination({ seed }), item, 'en'));

  expect(new Set(texts.map(({ conclusion }) => conclusion)).size).toBe(2);
  expect(new Set(texts.map(({ summary }) => summary)).size).toBe(1);
});

test('no text claims that the picture is fake, or that anything is proven', () => {
  for (const seed of seeds) {
    for (const resultClass of resultClasses) {
      const [en, de] = languages.map((language) =>
        allTexts(writeTexts(makeExamination({ resultClass, seed }), item, language)).join(' '),
      );
      expect(en).not.toMatch(/picture is (?:a )?(?:fake|forged|manipulated|real)|proves|proof/i);
      expect(de).not.toMatch(/ist (?:eine )?(?:gefälscht|Fälschung|manipuliert)|beweist|bewiesen/i);
    }
  }
});

describe('a decision based on a declaration in the file', () => {
  const declared = makeDeclared(
    makeExamination(),
    { ...declaration, generator: 'Some Generator' },
    { ...declaration, generator: 'Other', assurance: 'trusted' },
  );

  test('is described as such, with the best-assured declaration', () => {
    const en = writeTexts(declared, item, 'en');
    const de = writeTexts(declared, item, 'de');

    expect(en.summary).toContain('It says so in its XMP data (Other).');
    expect(en.summary).toContain('a signer from the list of trusted signers signed it');
    expect(de.summary).toContain('(Other)');
  });

  test('claims nothing about traces, and is believed only as far as the declaration', () => {
    const { summary, conclusion } = writeTexts(declared, item, 'en');

    expect(summary).not.toContain('The traces');
    expect(conclusion).toMatch(/rests on what the file says/);
  });
});

test('a hostile file name cannot reorder or break a sentence', () => {
  const hostile = { ...item, name: `evil\u202Egpj.\n\u0000${'x'.repeat(5000)}` };

  const { forensic } = writeTexts(makeExamination(), hostile, 'en');

  expect(forensic).toContain('evil⟨U+202E⟩gpj.⟨U+000A⟩⟨U+0000⟩');
  expect(forensic.length).toBeLessThan(2200);
});

test('a heatmap text names the place of its highest value', () => {
  const examination = makeExamination({ width: 300, height: 300 });
  const { values, columns } = examination.maps;
  const fake = new Uint16Array(values.fake.length).fill(1000);
  fake[columns + columns - 2] = 60000;
  const maps = { ...examination.maps, values: { ...values, fake } };

  const en = writeTexts({ ...examination, maps }, item, 'en').heatmap.fake;
  const de = writeTexts({ ...examination, maps }, item, 'de').heatmap.fake;

  expect(en).toContain('highest value 0.92, in the upper right');
  expect(de).toContain('höchster Wert 0,92, rechts oben');
});

test.each([
  ['fake', 'the higher of two values'],
  ['anomaly', 'differs from the rest of the picture'],
] as const)(
  'the text of heatmap %s says that it shows changed parts, if they were looked for',
  (map, phrase) => {
    const examination = makeExamination();

    const texts = writeTexts(examination, item, 'en');
    const earlier = writeTexts({ ...examination, manipulation: null }, item, 'en');

    expect(texts.heatmap[map]).toContain(phrase);
    expect(earlier.heatmap[map]).not.toContain(phrase);
  },
);

function allTexts({ summary, forensic, heatmapIntro, heatmap, conclusion }: ReportTexts): string[] {
  return [summary, forensic, heatmapIntro, ...Object.values(heatmap), conclusion];
}

/** Every number in every text, sorted, in English notation. */
function figures(examination: Examination, language: Language): readonly string[] {
  const text = allTexts(writeTexts(examination, item, language)).join(' ');
  const pattern = language === 'en' ? /\d+(?:,\d{3})*(?:\.\d+)?/g : /\d+(?:\.\d{3})*(?:,\d+)?/g;
  const [group, decimal] = language === 'en' ? [',', '.'] : ['.', ','];
  return [...text.matchAll(pattern)]
    .map(([figure]) => figure.replaceAll(group, '').replace(decimal, '.'))
    .toSorted();
}

const size = { width: 320, height: 320, cellPx: 32 };

test('readMap finds mean, peak, its ninth of the picture, and the share above one half', () => {
  const maps = makeMaps(size, (u, v) => (u > 0.9 && v > 0.9 ? 1 : 0.25));

  const { mean, highest, place, shareAboveHalf, isEven } = readMap(maps, 'fake');

  expect(mean).toBeCloseTo(0.25 + 0.75 / 100, 4);
  expect({ highest, place, shareAboveHalf, isEven }).toEqual({
    highest: 1,
    place: 'lower_right',
    shareAboveHalf: 0.01,
    isEven: false,
  });
});

test('a map without relief is even, and the place of a one-cell map is the middle', () => {
  expect(
    readMap(
      makeMaps(size, () => 0.4),
      'real',
    ).isEven,
  ).toBe(true);
  const one = makeMaps({ width: 65, height: 65, cellPx: 128 }, () => 0.4);
  expect(readMap(one, 'real').place).toBe('middle');
});
