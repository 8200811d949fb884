/**
 * Reads finished reports as opposing counsel would: no number, region or word may differ between
 * pages, and card, table, CSV and console must decide, round and advise like the first page.
 */

import { describe, expect, test, vi } from 'vitest';
import { toTableRow, writeTable } from '../../../src/cli/analyze/card.ts';
import type { AnalyzeOptions } from '../../../src/cli/options.ts';
import { type AnalysisRecord, toFailedRecord, toRecord } from '../../../src/cli/analyze/record.ts';
import { openReporter } from '../../../src/cli/analyze/reporter.ts';
import { type Language, languages } from '../../../src/contract/vocabulary.ts';
import { failure } from '../../../src/contract/errors.ts';
import { strengthOfRatio } from '../../../src/detectors/detector.ts';
import type { Examination } from '../../../src/detectors/result.ts';
import { writeEvidence } from '../../../src/present/evidence.ts';
import { writeFailure } from '../../../src/present/failures.ts';
import { createNumberWriter, wordsIn } from '../../../src/present/wording/catalogue.ts';
import { present } from '../../../src/present/presentation.ts';
import { readResult } from '../../../src/present/result.ts';
import { findContradictions, flat } from '../../../bin/evaluate/surfaces.ts';
import {
  altered,
  declaration,
  makeDeclared,
  makeExamination,
  makeSuspected,
} from './examination.ts';
import { bodyOf, full, fullItem, readHtml, render, size } from './full-report.ts';

const region = { left: 160, top: 20, width: 60, height: 50, share: 0.078 };
const corner = { regionLeft: 10, regionTop: 100 };
const ownMark = { ...corner, regionWidth: 40, regionHeight: 30, regionShare: 0.02 };

const suspected = makeSuspected();
const limits = { fakeMin: 0.82, realMax: 0.24 };
const limitsOfChanges = { suspectedMin: 0.717, manipulatedMin: 0.853 };

const cases: Readonly<Record<string, Examination>> = {
  real: made('real', { findings: [traces(0.034, 'real')] }),
  'real, with a method that marks a place of its own': made('real', {
    findings: [traces(0.034, 'real'), located('weak')],
    manipulation: { probability: 0.655, region: null, methods: ['localisation-network'] },
  }),
  'real and shaky': made('real', {
    stability: {
      holds: true,
      trials: [
        { change: 'jpeg-90', fakeProbability: 0.026, isFlip: false },
        { change: 'scale-50', fakeProbability: 0.421, isFlip: false },
      ],
    },
  }),
  generated: made('fake', { findings: [traces(0.971, 'fake')] }),
  'certainly generated': made('fake', {
    findings: [traces(0.9999, 'fake')],
    decision: { ...makeExamination({ ...size }).decision, fakeProbability: 0.9999 },
  }),
  changed: changed(),
  declared: declared(),
  'suspected of a change': made('uncertain', {
    findings: [located('weak')],
    manipulation: { probability: 0.8, region, methods: ['localisation-network'] },
    decision: { ...suspected.decision, thresholds: { ...limits, ...limitsOfChanges } },
  }),
  uncertain: made('uncertain', {}),
  'not to be judged': made('abstain', {
    findings: [traces(0.61, 'fake'), located('moderate')],
    manipulation: { probability: 0.955, region, methods: ['localisation-network'] },
  }),
  full,
};

describe.each(Object.entries(cases))('a report on a picture that is %s', (_, examination) => {
  test.each(languages)('states the same everywhere in %s', async (language) => {
    const record = toRecord(run, examination, null);
    const { pages } = await render(examination, language, fullItem);
    const html = await readHtml(examination, language, fullItem);
    const pdf = bodyOf(pages);
    const firstPage = flat(bodyOf(pages.slice(0, 1)));
    const surfaces = { record, language, firstPage, pdf: flat(pdf), html: flat(html) };

    expect(findContradictions(surfaces)).toEqual([]);
    for (const body of [pdf, html]) checkWithin(examination, body, language);
    const told = present(readResult(examination), language);
    const [generated = '', ofChange = ''] = [told.generated?.value, told.changed?.value];
    const { resultClass, basis, reasons } = examination.decision;
    const table = writeTable([toTableRow(record, language)], language, 200);
    for (const text of [told.short, generated, ofChange]) {
      expect(table).toContain(text);
    }
    expect(roundedAsIn(language, await writeCsv(record))).toMatchObject({
      verdict: resultClass,
      reasons: reasons.join(' '),
      // If a changed part decided, programs get no second probability that they could mistake for the first.
      fakeProbability: basis === 'localisation' ? '' : generated,
      changeProbability: ofChange,
    });
  });
});

/** What one report states in several places. */
function checkWithin(examination: Examination, body: string, language: Language): void {
  const evidence = writeEvidence(examination);
  const text = withoutAnnex(body, language);
  // Cut where annexes with other numbers start, and not only at the end.
  expect(text.length).toBeLessThan(0.9 * body.length);
  expect(text.length).toBeGreaterThan(0.3 * body.length);
  const { score, exact } = createNumberWriter(language);
  const { strength: words, findings } = wordsIn(language);
  const { resultClass, fakeProbability, byTraces } = examination.decision;
  const isOutside = (byTraces?.resultClass ?? resultClass) === 'abstain';

  // P(fake) is the probability of generation, and nothing else.
  expect(text).not.toMatch(namedWrongly[language]);
  const generated = numbersAfter(text, generation[language]);
  expect([score(fakeProbability), exact(fakeProbability)]).toEqual(
    expect.arrayContaining([...generated]),
  );
  expect(generated.length === 0).toBe(isOutside);

  // Values without a tested meaning appear only in the annex.
  const { manipulation, stability } = examination;
  const untested = isOutside ? [fakeProbability, manipulation?.probability ?? 0] : [];
  for (const value of untested) {
    for (const form of [score(value), exact(value), `${Math.round(100 * value)}%`]) {
      expect(text).not.toMatch(new RegExp(`(?<![\\d.,])${form.replace('.', '\\.')}(?![\\d.,])`));
    }
  }

  // One region: on page one, in findings and measurements.
  const share = manipulation?.region ? findings.writeShare(manipulation.region.share) : null;
  for (const [, found] of flat(text).matchAll(together[language])) expect(found).toBe(share);

  // The word for the strength matches the ratio next to it, and is the same on every page.
  if (evidence.ratio !== null) expect(evidence.strength).toBe(strengthOfRatio(evidence.ratio));
  const others = Object.entries(words.adverbs).filter(([one]) => one !== evidence.strength);
  for (const [, adverb] of others) {
    const spoken = new RegExp(` ${adverb} (?:for|für) (?:${Object.values(words.sides).join('|')})`);
    expect(flat(text)).not.toMatch(spoken);
  }

  // The statement on stability counts what its table lists.
  if (stability === null) return;
  const { outcomes, summary } = wordsIn(language).findings.stability;
  const countOf = (outcome: keyof typeof outcomes) =>
    body.split(`\n${outcomes[outcome]}\n`).length - 1;
  const values = stability.trials.map((trial) => trial.fakeProbability);
  const told = summary({
    same: countOf('same'),
    open: countOf('open'),
    other: countOf('other'),
    low: score(Math.min(...values)),
    high: score(Math.max(...values)),
  });
  expect(evidence.stability?.statement[language]).toBe(told);
  expect(flat(text)).toContain(told);
}

const run = {
  file: 'a.jpg',
  examinedAt: new Date('2026-03-01T12:00:00Z'),
  durationMs: 1,
  options: { tier: 'forensicReporting', seed: 1337 },
} as const;

test.each(languages)('a failure is worded the same everywhere in %s', async (language) => {
  const error = failure('empty', {});
  const record = toFailedRecord(run, error);

  const table = writeTable([toTableRow(record, language)], language, 200);
  const csv = await writeCsv(record);

  expect(flat(table)).toContain(writeFailure(error, language));
  // For programs, whatever the language.
  expect(csv).toMatchObject({ errorCode: error.code, errorMessage: error.message });
});

/** What `analyze --csv` prints for a record, by column. */
async function writeCsv(record: AnalysisRecord): Promise<Readonly<Record<string, string>>> {
  const written: unknown[] = [];
  const stdout = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written.push(text);
    return true;
  });
  const options: Partial<AnalyzeOptions> = { csv: true, out: null, recursive: false, lang: ['en'] };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- CSV looks at no other option.
  const reporter = await openReporter([], options as AnalyzeOptions);
  await reporter.report(record);
  reporter.close();
  stdout.mockRestore();
  const [names = [], values = []] = written
    .join('')
    .split('\r\n')
    .map((line) => line.split(','));
  return Object.fromEntries(names.map((name, at) => [name, values[at] ?? '']));
}

function roundedAsIn(
  language: Language,
  { fakeProbability, changeProbability, ...fields }: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const round = (text = '') =>
    text === '' ? '' : createNumberWriter(language).score(Number(text));
  return {
    ...fields,
    fakeProbability: round(fakeProbability),
    changeProbability: round(changeProbability),
  };
}

const namedWrongly = {
  en: /probability[^.\n]{0,40}generated or altered/i,
  de: /Wahrscheinlichkeit[^.\n]{0,40}erzeugt(?:es)? oder verändert/i,
};
const generation = {
  en: /(?<!Traces of |after them the probability of )[Gg]eneration (?:of |is estimated at |is )?(?=[\d]|above|below)/g,
  de: /KI-erzeugt ist,? (?:wird auf |beträgt )?(?=[\d]|über|unter)/g,
};
const together = {
  en: /(?:together mark|changed parts mark a region of) (\d+ %)/g,
  de: /(?:alle zusammen markieren|suchen, markieren einen Bereich von) (\d+ %)/g,
};
/** A number with an optional bound before it: `above 0.99`. */
function numbersAfter(text: string, pattern: RegExp): readonly string[] {
  return [...flat(text).matchAll(pattern)].map(({ index, 0: found }) => {
    const rest = flat(text).slice(index + found.length);
    return rest.match(/^(?:(?:above|below|über|unter) )?\d[.,]\d+/)?.[0] ?? rest.slice(0, 20);
  });
}

/** The first annexes state measured values and error rates; the others hold other numbers. */
function withoutAnnex(body: string, language: Language): string {
  const { question } = wordsIn(language).labels.sections;
  return body.slice(0, body.lastIndexOf(`E  ${question}`));
}

function made(resultClass: 'real' | 'fake' | 'uncertain' | 'abstain', other: Partial<Examination>) {
  return { ...makeExamination({ ...size, resultClass }), ...other };
}

function changed(): Examination {
  const findings = [traces(0.15, 'real'), located('moderate')];
  const byTraces = { resultClass: 'uncertain', reasons: ['evidence_below_threshold'] } as const;
  const called = { basis: 'localisation', resultSubClasses: ['manipulated'] } as const;
  return altered(
    { ...makeExamination({ ...size }), findings },
    {
      manipulation: { probability: 0.947, region, methods: ['localisation-network'] },
      decision: { ...called, fakeProbability: 0.149, byTraces },
    },
  );
}

function declared(): Examination {
  const byTraces = { resultClass: 'fake', reasons: [] } as const;
  const base = altered(makeExamination({ ...size }), { decision: { byTraces } });
  return makeDeclared(base, { ...declaration, generator: 'Example Generator' });
}

function traces(probability: number, speaksFor: 'real' | 'fake'): Examination['findings'][number] {
  const percent = Math.round(100 * probability);
  return {
    method: 'trace-network',
    score: probability,
    speaksFor,
    strength: 'moderate',
    statement: {
      en: `The trace network puts the probability of a generated picture at ${percent}%.`,
      de: `Das Spurennetz beziffert die Wahrscheinlichkeit eines KI-erzeugten Bildes auf ${percent} %.`,
    },
    measures: {},
    source: 'Own network.',
  };
}

function located(strength: 'weak' | 'moderate'): Examination['findings'][number] {
  return {
    method: 'localisation-network',
    score: 0.8,
    speaksFor: 'fake',
    strength,
    statement: {
      en: 'A network marks a region in the lower left (2% of the picture).',
      de: 'Ein Netz markiert einen Bereich unten links (2 % des Bildes).',
    },
    measures: ownMark,
    source: 'Own network.',
  };
}
