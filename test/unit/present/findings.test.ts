import { describe, expect, test } from 'vitest';
import type { Copies, FindingCode, FindingValues } from '../../../src/detectors/statements.ts';
import { looksLikeCameraFile, wordFinding, writeOrigin } from '../../../src/present/findings.ts';
import { noProvenance, type Provenance } from '../../../src/contract/provenance.ts';
import { credentials, declaration } from './examination.ts';

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
  word_stands_out: { ...area, unchanged: 203, wrongly: 2 },
  words_agree: {},
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

const rich: Provenance = {
  ...noProvenance,
  credentials,
  software: [
    { kind: 'camera', name: 'Apple iPhone 15', place: 'exif' },
    { kind: 'firmware', name: 'iOS 17.5.1', place: 'exif' },
    { kind: 'editor', name: 'Adobe Photoshop CS', place: 'exif' },
    { kind: 'editor', name: 'Adobe Photoshop Camera Raw 8.6', place: 'xmp' },
  ],
  history: [
    { action: 'created', software: null, when: null, parameters: null },
    {
      action: 'saved',
      software: 'Adobe Photoshop Camera Raw 8.6',
      when: '2014-11-11T10:00:00+01:00',
      parameters: null,
    },
  ],
};

function signed(own: Partial<typeof credentials>): Provenance {
  return { ...noProvenance, credentials: { ...credentials, ...own } };
}

describe('the origin in a few words', () => {
  test('names credentials, editing programs, history and device', () => {
    expect(writeOrigin(rich, 'en')).toEqual([
      'Content Credentials (C2PA), unaltered since they were signed under the name Example Camera: signer not confirmed (not checked against a trust list); no time stamp',
      'editing program Adobe Photoshop CS',
      'editing history of 2 steps, the last with Adobe Photoshop Camera Raw 8.6, 2014-11-11',
      'camera Apple iPhone 15, iOS 17.5.1',
    ]);
    expect(writeOrigin(rich, 'de')).toEqual([
      'Content Credentials (C2PA), signiert unter dem Namen Example Camera, Datei seither unverändert; Unterzeichner nicht bestätigt (ohne Abgleich mit einer Vertrauensliste); ohne Zeitstempel',
      'Bearbeitungsprogramm Adobe Photoshop CS',
      'Bearbeitungsverlauf mit 2 Schritten, zuletzt mit Adobe Photoshop Camera Raw 8.6, 11.11.2014',
      'Kamera Apple iPhone 15, iOS 17.5.1',
    ]);
  });

  test('starts with the declaration of generated content', () => {
    const declared = { ...noProvenance, declarations: [declaration] };

    expect(writeOrigin(declared, 'en')[0]).toBe('generated by AI (according to its XMP data)');
    expect(writeOrigin(declared, 'de')[0]).toBe('von KI erzeugt (Angabe in den XMP-Daten)');
  });

  test('names the steps that signed credentials declare, without those that change nothing', () => {
    const actions = ['c2pa.opened', 'c2pa.placed', 'c2pa.color_adjustments', 'c2pa.placed'].map(
      (action) => ({ action, software: null, when: null, digitalSourceType: null }),
    );
    const edited = signed({ actions });
    const broken = signed({ actions, integrity: 'broken' });

    expect(writeOrigin(edited, 'en')[1]).toBe(
      'declared steps: another picture inserted, colours adjusted',
    );
    expect(writeOrigin(edited, 'de')[1]).toBe(
      'angegebene Schritte: weiteres Bild eingefügt, Farben angepasst',
    );
    expect(writeOrigin(broken, 'en')).toHaveLength(1);
  });

  test('names a certificate that calls itself a test', () => {
    const [testing, other] = ['C2PA Test Signing Cert', 'Contest Photo Ltd'].map(
      (signer) => writeOrigin(signed({ signer }), 'en')[0],
    );

    expect(testing).toContain('apparently with a test certificate');
    expect(other).not.toContain('test certificate');
  });

  test('names at most three editing programs, and how many more there are', () => {
    const names = ['A 1', 'A 2', 'A 3', 'A 4', 'A 5'];
    const edited = {
      ...noProvenance,
      software: names.map((name) => ({ kind: 'editor', name, place: 'xmp' }) as const),
    };

    expect(writeOrigin(edited, 'en')[0]).toBe('editing programs A 1, A 2, A 3 and 2 more');
    expect(writeOrigin(edited, 'de')[0]).toBe('Bearbeitungsprogramme A 1, A 2, A 3 und 2 weitere');
  });

  test('says that a changed file no longer matches its credentials', () => {
    expect(writeOrigin(signed({ integrity: 'broken' }), 'en')).toEqual([
      'Content Credentials (C2PA) signed under the name Example Camera, but the file no longer matches them (re-saving alone can cause this)',
    ]);
  });

  test('of a file without statements says that it has no credentials', () => {
    expect(writeOrigin(noProvenance, 'en')).toEqual([
      'no Content Credentials (signed statements of origin, C2PA)',
    ]);
  });
});

describe('a file looks like the camera’s own', () => {
  const camera: Provenance = {
    ...noProvenance,
    software: rich.software.slice(0, 2),
    quantisation: { kind: 'custom', name: null, quality: null },
  };

  test('with camera, firmware and its own tables', () => {
    expect(looksLikeCameraFile(camera)).toBe(true);
  });

  test.each<[string, Partial<Provenance>]>([
    ['without a camera', { software: [] }],
    ['with an editing program', { software: rich.software }],
    ['with a history', { history: rich.history }],
    ['with standard tables', { quantisation: { kind: 'libjpeg', name: null, quality: 90 } }],
    ['as a PNG', { quantisation: null }],
  ])('but not %s', (_name, change) => {
    expect(looksLikeCameraFile({ ...camera, ...change })).toBe(false);
  });
});
