import { describe, expect, test } from 'vitest';
import { writeCard } from '../../src/cli/analyze/card.ts';
import { type Language, languages, reasonCodes } from '../../src/contract/vocabulary.ts';
import type { Examination } from '../../src/detectors/result.ts';
import type { Provenance } from '../../src/contract/provenance.ts';
import { noProvenance } from '../../src/contract/provenance.ts';
import {
  altered,
  credentials,
  declaration,
  makeDeclared,
  makeExamination,
  makeSuspected,
} from '../unit/present/examination.ts';
import { recordOf } from './fake-examiner.ts';

const cameraFile: Provenance = {
  ...noProvenance,
  software: [{ kind: 'camera', name: 'Canon EOS R6', place: 'exif' }],
  quantisation: { kind: 'custom', name: null, quality: null },
};

const long = 'A very long name of a program that somebody wrote into the file '.repeat(3).trim();

const richFile: Provenance = {
  ...noProvenance,
  credentials: { ...credentials, signer: long },
  software: [{ kind: 'editor', name: long, place: 'exif' }],
  history: [{ action: 'saved', software: long, when: '2014-11-11', parameters: null }],
};

const region = { left: 10, top: 5, width: 40, height: 50, share: 0.06 };
const plain = makeExamination();
const changed = altered(plain, {
  manipulation: { probability: 0.97, region },
  decision: { basis: 'localisation' },
});
const generator = 'Stable Diffusion web UI (AUTOMATIC1111)';
const suspected = makeSuspected();
const outcomes: readonly (readonly [string, Examination])[] = [
  ['real', makeExamination({ resultClass: 'real' })],
  ['fake', plain],
  ['changed', changed],
  ['declared', makeDeclared(plain, { ...declaration, generator })],
  ...reasonCodes.flatMap((reason) =>
    (['uncertain', 'abstain'] as const).map(
      (resultClass) =>
        [`${resultClass}: ${reason}`, makeExamination({ resultClass, reasons: [reason] })] as const,
    ),
  ),
];

const rowOf = (card: string, label: string) =>
  card
    .slice(card.indexOf(`  ${label} `))
    .split(/\n {2}\S/)[0]!
    .replaceAll(/\s+/g, ' ')
    .trim();

test('a card recommends a step for each kind of finding, but none for an abstention', () => {
  const finding = { ...plain.findings[0]!, method: 'copy-move', speaksFor: 'fake' } as const;
  const findings = [
    { ...finding, strength: 'strong' },
    { ...finding, method: 'thumbnail', strength: 'weak' },
    { ...finding, method: 'file-layout', strength: 'weak' },
    { ...finding, method: 'trace-network', speaksFor: 'real', strength: 'strong' },
  ] as const;
  const cardOf = (resultClass: 'uncertain' | 'abstain') => {
    const examination = {
      ...makeExamination({ resultClass, reasons: ['evidence_below_threshold'] }),
      findings,
    };
    return writeCard(recordOf(examination, 'forensicReporting'), 'en', 100);
  };

  expect(rowOf(cardOf('uncertain'), 'Next')).toMatch(
    /Copied parts: Compare the two areas, and ask for another photograph of them\. \S.*: Not strong enough on its own; ask for the original file from the device\.$/,
  );
  expect(cardOf('abstain')).not.toContain('Copied parts');
});

describe.each(languages)('a card in %s', (language: Language) => {
  test.each(outcomes)('of %s takes at most eight lines of 80 columns', (name, examination) => {
    for (const provenance of [examination.provenance, richFile, cameraFile]) {
      const file = `${'pictures-of-a-case/'.repeat(4)}a.jpg`;
      const card = writeCard({ ...recordOf({ ...examination, provenance }), file }, language, 80);
      const lines = card.trimEnd().split('\n');
      // How an editing program and no sign of a change fit.
      const more = name === 'real' && provenance === richFile ? 3 : 0;

      expect(lines.length).toBeLessThanOrEqual(8 + more);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    }
  });

  test.each(outcomes)('of %s has reason, next step and where to find more', (_name, one) => {
    const card = writeCard(recordOf(one), language, 80);
    const labels = { en: ['Because', 'Next', 'Report'], de: ['Grund', 'Empfehlung', 'Bericht'] };

    for (const label of labels[language])
      expect(card).toMatch(new RegExp(`^ {2}${label} +\\S`, 'm'));
    expect(card).toContain('--tier forensicReporting --out');
  });
});

describe('the next step', () => {
  test('does not ask for the original file when this seems to be it', () => {
    expect(rowOf(writeCard(recordOf(suspected), 'en', 80), 'Next')).toContain(
      'as it was first stored',
    );
    expect(
      rowOf(writeCard(recordOf({ ...suspected, provenance: cameraFile }), 'en', 80), 'Next'),
    ).toBe('Next Compare the picture with others from this camera.');
  });
});

test('the report is in the language of the card', () => {
  const files = ['out/a/result.json', 'out/a/report-en.pdf', 'out/a/report-de.pdf'];

  expect(writeCard({ ...recordOf(plain), files }, 'de', 80)).toMatch(
    /^ {2}Bericht +out\/a\/report-de\.pdf$/m,
  );
});

test('text from a file cannot move the cursor', () => {
  const evil: Provenance = {
    ...noProvenance,
    software: [{ kind: 'editor', name: '\u001b[2Jx', place: 'exif' }],
  };

  expect(writeCard(recordOf({ ...plain, provenance: evil }), 'en', 80)).not.toContain('\u001b');
});

describe.each(languages)('unread parts of a file, in %s', (language: Language) => {
  const label = language === 'en' ? 'Remarks' : 'Hinweise';

  test('take at most three lines of the card', () => {
    const warnings = [
      { code: 'block_unreadable', values: { place: 'xmp' } },
      { code: 'extended_xmp_incomplete', values: {} },
      { code: 'thumbnail_unreadable', values: {} },
      { code: 'credentials_removed', values: {} },
    ] as const;
    const card = writeCard(
      recordOf({ ...plain, provenance: { ...richFile, warnings } }),
      language,
      80,
    );

    expect(rowOf(card, label)).toMatch(/XMP: .+…$/);
    expect(card.trimEnd().split('\n').length).toBeLessThanOrEqual(11);
  });

  test('take no line when everything was read', () => {
    expect(writeCard(recordOf(plain), language, 80)).not.toContain(label);
  });
});
