import { expect, test } from 'vitest';
import type { Copies, FindingCode, FindingValues } from '../../../src/detectors/statements.ts';
import { wordFinding } from '../../../src/present/findings.ts';

const area = { place: 'upper_left', share: 0.124 } as const;
const copies: Copies = {
  ...area,
  otherPlace: 'bottom',
  isMirrored: false,
  turnDegrees: 30,
  factor: 1.24,
};

const examples: FindingValues = {
  generated_with_probability: { probability: 0.83, spread: 0.04, patches: 16 },
  size_of_generators: {
    width: 1408,
    height: 768,
    isScaled: false,
    ratio: 5,
    generated: { found: 84, of: 431 },
    photographs: { found: 0, of: 521 },
  },
  photograph: {},
  one_flat_area: {},
  drawing: {},
  looks_like: { kind: 'page' },
  credentials_unreadable: {},
  credentials_broken: { signer: 'Acme 1' },
  credentials_without_origin: { signer: null },
  credentials_declare_origin: {
    signer: 'Acme 1',
    origin: 'captured',
    generator: 'Dream 2',
    vouching: { by: 'edited_capture', edit: 'c2pa.placed' },
  },
  origin_declared: { origin: 'ai-generated', place: 'exif', field: 'Software', generator: null },
  watermark_found: { generator: 'FLUX (reference code)' },
  visible_mark_found: { generator: 'DALL-E 2' },
  source_type_of_neither_side: {},
  source_type_named: { type: 'screenCapture' },
  software_named: { software: [{ kind: 'camera', name: 'Acme Snap 1' }] },
  records_contradict: { codes: ['time_in_future', 'exif_size_differs'] },
  records_agree: {},
  tables_of_libjpeg: { quality: 85 },
  tables_of_program: { name: 'mozjpeg' },
  tables_of_their_own: {},
  more_in_file: { trailingBytes: 12, trailingKind: 'zip', furtherPictures: 2, writtenBy: 'others' },
  region_processed_apart: area,
  changed_nowhere: {},
  changed_somewhere: {},
  copies,
  copies_or_repetition: copies,
  repeats_throughout: {},
  no_copies: {},
  no_copies_where_compared: { comparedShare: 0.4 },
  region_saved_once: area,
  saved_twice: {},
  thumbnail_differs: area,
  thumbnail_lacks_strip: area,
  thumbnail_agrees: {},
  error_level_shown: {},
};

const codes = Object.keys(examples).filter((code): code is FindingCode => code in examples);

test.each(codes)(
  '%s is worded in full sentences, with the same figures in both languages',
  (code) => {
    const { statement } = wordFinding({
      method: 'a-method',
      score: 0.5,
      speaksFor: 'neither',
      strength: 'none',
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a code and its values, taken from one entry
      statement: { code, values: examples[code] } as Parameters<typeof wordFinding>[0]['statement'],
      measures: {},
      source: '',
    });

    const { en, de } = statement;
    for (const text of [en, de]) {
      expect(text).toMatch(/^[\p{Lu}\d].*\.$/su);
      expect(text).not.toMatch(/undefined|null|NaN|\[object|\$\{| {2}/);
    }
    expect(figuresIn(de.replaceAll(',', '.'))).toEqual(figuresIn(en.replaceAll(',', '.')));
  },
);

function figuresIn(text: string): readonly string[] {
  return (text.match(/\d+(?:\.\d+)?/g) ?? []).toSorted();
}

test('the described pair of copies is named as one of several, as the marks may show others', () => {
  const { en } = wordFinding({
    method: 'copy-move',
    score: 0.9,
    speaksFor: 'fake',
    strength: 'moderate',
    statement: { code: 'copies', values: copies },
    measures: { likelyPairs: 3 },
    source: '',
  }).statement;

  expect(en).toMatch(/^Two regions \(the clearest of 3 such pairs; the method’s map shows all\), /);
});
