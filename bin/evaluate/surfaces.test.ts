import { expect, test } from 'vitest';
import { toRecord } from '../../src/cli/analyze/record.ts';
import { type Language, languages } from '../../src/contract/vocabulary.ts';
import type { Examination } from '../../src/detectors/result.ts';
import { writeEvidence } from '../../src/present/evidence.ts';
import { makeExamination } from '../../test/unit/present/examination.ts';
import { bodyOf, readHtml, render, size } from '../../test/unit/present/full-report.ts';
import { findContradictions, flat, type Surfaces } from './surfaces.ts';

const region = { left: 160, top: 20, width: 60, height: 50, share: 0.078 };
const base = makeExamination({ ...size, resultClass: 'uncertain' });
const cases: Readonly<Record<string, Examination>> = {
  real: makeExamination({ ...size, resultClass: 'real' }),
  generated: makeExamination({ ...size }),
  'outside the range': makeExamination({
    ...size,
    resultClass: 'abstain',
    reasons: ['not_a_photograph'],
  }),
  suspected: {
    ...base,
    manipulation: {
      probability: 0.8,
      region,
      methods: ['copy-move'],
      places: [
        { region, methods: ['copy-move'] },
        { region: { ...region, left: 10 }, methods: ['copy-move'] },
      ],
    },
    decision: { ...base.decision, reasons: ['manipulation_suspected'] },
  },
};
const all = Object.entries(cases).flatMap(([name, examination]) =>
  languages.map((language) => ({ name, examination, language })),
);

test.each(all)('finds no contradiction for a picture that is $name, in $language', async (one) => {
  expect(findContradictions(await surfacesOf(one.examination, one.language))).toEqual([]);
});

test('finds a different headline, limit or place, and a code word', async () => {
  const surfaces = await surfacesOf(cases['suspected']!, 'en');
  const altered = (from: RegExp, to: string) =>
    findContradictions({ ...surfaces, html: surfaces.html.replaceAll(from, to) }).join('\n');

  expect(altered(/not established/g, 'certain')).toContain('headline differs');
  expect(altered(/0\.82/g, '0.81')).toContain('limit differs');
  expect(altered(/2: on the left|2: in the upper left/g, '3: elsewhere')).toContain(
    'place differs',
  );
  expect(altered(/Next step/g, 'manipulation_suspected')).toContain('a word of the code');
});

async function surfacesOf(examination: Examination, language: Language): Promise<Surfaces> {
  const { pages } = await render(examination, language);
  const run = {
    file: 'a.jpg',
    examinedAt: new Date(),
    durationMs: 1,
    options: { tier: 'forensicReporting', seed: 1337 } as const,
  };
  const record = toRecord(run, examination, null);
  expect(record.evidence).toMatchObject({ statement: writeEvidence(examination).statement });
  return {
    record,
    language,
    firstPage: flat(bodyOf(pages.slice(0, 1))),
    pdf: flat(bodyOf(pages)),
    html: flat(await readHtml(examination, language)),
  };
}
