import { describe, expect, test } from 'vitest';
import { detailsOf } from '../../src/cli/analyze/details.ts';
import { tableOf, tableRowOf } from '../../src/cli/analyze/table.ts';
import { type AnalysisRecord, recordOf } from '../../src/cli/analyze/record.ts';
import { stabilityChanges } from '../../src/contract/vocabulary.ts';
import type { Finding } from '../../src/detectors/detector.ts';
import type { Examination } from '../../src/engine/result.ts';
import { writeEvidence } from '../../src/present/evidence.ts';
import { makeExamination } from '../unit/present/examination.ts';

function found(method: string, speaksFor: Finding['speaksFor'], strength: Finding['strength']) {
  const statement = { en: `What ${method} saw.`, de: `Was ${method} sah.` };
  return { method, score: 0.5, speaksFor, strength, statement, measures: {}, source: 'None.' };
}

function told(examination: Examination, tier: AnalysisRecord['tier'] = 'forensicReporting') {
  const examinedAt = new Date('2026-03-01T12:00:00Z');
  const run = { file: 'a.jpg', examinedAt, durationMs: 1, options: { tier, seed: 1337 } };
  return recordOf(run, examination, null);
}

function declared(): Examination {
  const examination = makeExamination();
  const byTraces = { resultClass: 'abstain', reasons: ['too_small'] } as const;
  return { ...examination, decision: { ...examination.decision, basis: 'declaration', byTraces } };
}

describe('a card of the forensic tier', () => {
  test('sorts the findings by the side they speak for, strongest first, and keeps them few', () => {
    const findings = [
      found('one', 'fake', 'weak'),
      found('two', 'real', 'strong'),
      found('three', 'fake', 'moderatelyStrong'),
      found('four', 'fake', 'weak'),
      found('five', 'fake', 'weak'),
      found('six', 'neither', 'none'),
    ];

    const card = detailsOf(told({ ...makeExamination(), findings }), 'en', 80);

    const lines = card.split('\n').map((line) => line.trim().replaceAll(/\s+/g, ' '));
    const first = lines.findIndex((line) => line.startsWith('For fake'));
    expect(lines.slice(first, lines.findIndex((line) => line.startsWith('Neither')) + 1)).toEqual([
      'For fake - moderately strong: What three saw.',
      '- weak: What one saw.',
      '- weak: What four saw.',
      '- and 1 more',
      'For real strong: What two saw.',
      'Neither What six saw.',
    ]);
  });

  test('says how strong the verdict is, whether it held, and that not all was looked at', () => {
    const trials = stabilityChanges.map((change) => {
      return { change, fakeProbability: 0.9, isFlip: false };
    });
    const stability = { holds: true, trials };
    const card = detailsOf(told({ ...makeExamination(), stability }), 'en', 200).replaceAll(
      /\s+/g,
      ' ',
    );

    expect(card).toContain('Strength The traces in the picture speak moderately for');
    expect(card).toContain(
      'Stability None of the 5 changes that were tried would alter what the traces',
    );
    expect(card).toMatch(/Unchecked \d+ things/);
  });

  test('fits 80 columns but for the hash', () => {
    const wide = detailsOf(told(makeExamination()), 'en', 80)
      .split('\n')
      .filter((line) => line.length > 80);

    expect(wide.every((line) => line.startsWith('  SHA-256'))).toBe(true);
  });
});

describe('a verdict that a changed part decided', () => {
  const region = { left: 10, top: 5, width: 40, height: 50, share: 0.06 };
  const examination = makeExamination();
  const changed: Examination = {
    ...examination,
    manipulation: { ...examination.manipulation!, probability: 0.974, region },
    decision: {
      ...examination.decision,
      basis: 'localisation',
      resultSubClasses: ['manipulated'],
      fakeProbability: 0.2,
      thresholds: { fakeMin: 0.82, realMax: 0.24, manipulatedMin: 0.95, suspectedMin: 0.7 },
    },
  };

  test('is told with the place and the probability of a change', () => {
    const card = detailsOf(told(changed), 'en', 200).replaceAll(/\s+/g, ' ');

    expect(card).toContain('Signs of a change in a part of the picture found');
    expect(card).toMatch(/P\(changed\) +0\.97 \(signs from 0\.95, suspected from 0\.70\)/);
    expect(card).toMatch(/P\(generated\) 0\.20 ± 0\.02 P\(changed\)/);
    expect(card).toContain('mark a region of 6 % of the picture, in the upper left');
  });

  test('is told with its limits where it is only suspected', () => {
    const decision = {
      ...changed.decision,
      basis: 'traces',
      resultClass: 'uncertain',
      resultSubClasses: [],
      reasons: ['manipulation_suspected'],
    } as const;

    const card = detailsOf(told({ ...changed, decision }), 'en', 200);

    expect(card).toMatch(/P\(generated\) 0\.20 .*no sign up to 0\.24/);
    expect(card).toMatch(/P\(changed\) +0\.97 \(signs from 0\.95, suspected from 0\.70\)/);
    expect(card).toContain('mark a region of 6 % of the picture');
  });

  test('is never told as certain', () => {
    const decision = { ...changed.decision };
    const certain = {
      ...changed,
      decision,
      manipulation: { ...changed.manipulation!, probability: 0.9999 },
    };

    expect(detailsOf(told(certain), 'en', 200)).toMatch(/P\(changed\) +above 0\.99 \(/);
  });

  test('says so in a table, beside that probability', () => {
    const table = tableOf([tableRowOf(told(changed, 'flagging'), 'en')], 'en', 120);

    expect(table).toMatch(/looks changed +0\.20 +0\.97 +a part differs/);
  });
});

describe('a verdict that a declaration decided', () => {
  test.each(['flagging', 'forensicReporting'] as const)('is told as such with %s', (tier) => {
    const card = detailsOf(told(declared(), tier), 'en', 200);

    expect(card).toContain('The file declares content generated by AI');
    expect(card).toContain('whoever writes the file decides');
    expect(card).not.toContain('0.97');
  });

  test('stands beside what the traces alone lead to', () => {
    expect(detailsOf(told(declared()), 'en', 200)).toContain('alone they lead to “abstain”');
  });

  test('is marked in a table of many', () => {
    const table = tableOf(
      [told(declared()), told(makeExamination())].map((one) => tableRowOf(one, 'en')),
      'en',
      120,
    );

    expect(table.match(/declared as AI +- +- +file says so/g)).toHaveLength(1);
    expect(table.match(/looks generated +0\.97/g)).toHaveLength(1);
  });
});

test('the evidence of --json is that of the interface, and what it takes to repeat it', () => {
  const examination = makeExamination();
  const { facts, measured, passes, patchesRead, environment } = examination;

  expect(told(examination).evidence).toEqual({
    ...writeEvidence(examination),
    facts,
    measured,
    passes,
    patchesRead,
    environment,
  });
  expect(told(examination, 'flagging').evidence).toBeNull();
});
