/**
 * Reads what one examination states on every surface (card, JSON, PDF, HTML, console) as opposing
 * counsel would: all must state the same in the same words and numbers, and no text for people may
 * contain a word of the code.
 */

import { writeCard } from '../../src/cli/analyze/card.ts';
import { type AnalysisRecord, resultIn } from '../../src/cli/analyze/record.ts';
import { writeVerdict } from '../../src/console/parts/verdict.ts';
import {
  inconsistencyCodes,
  type Language,
  notCheckedIds,
  reasonCodes,
  resultSubClasses,
} from '../../src/contract/vocabulary.ts';
import { writeNextStep, writeNextSteps } from '../../src/present/findings.ts';
import { present, writePlaces } from '../../src/present/presentation.ts';
import { printable } from '../../src/present/text.ts';
import { wordsIn } from '../../src/present/wording/catalogue.ts';

export interface Surfaces {
  readonly record: AnalysisRecord;
  readonly language: Language;
  /** Text of the report's first page, of all its pages, and of its HTML, each on one line. */
  readonly firstPage: string;
  readonly pdf: string;
  readonly html: string;
}

/** A line for each contradiction. */
export function findContradictions(surfaces: Surfaces): readonly string[] {
  const { record, language, firstPage, pdf, html } = surfaces;
  const result = resultIn(record);
  const { evidence } = record;
  if (result === null || evidence === null) return ['no result'];
  const told = present(result, language);
  const card = flat(writeCard(record, language, 1000));
  const console = readConsole(record, language);
  const reports = { 'first page': firstPage, html };
  const everywhere = { ...reports, card, console };
  const figures = [told.generated, told.changed].flatMap((one) => (one === null ? [] : [one]));
  const where = printable(writePlaces(result.areas, wordsIn(language)));
  const weighed = (evidence.weighed ?? []).map(({ statement }) => statement[language]);
  const speaking = evidence.findings.filter(
    ({ speaksFor, strength }) =>
      speaksFor !== 'neither' && strength !== 'none' && record.verdict !== 'abstain',
  );
  return [
    ...missing('headline', everywhere, told.headline),
    ...missing('because', { card }, told.because),
    // The places are in the list next to the picture.
    ...missing('because', reports, told.because.replace(` (${where})`, '')),
    ...missing('next step', everywhere, told.next),
    // On the page, the ratios that decide stand between these sentences.
    ...[...weighed, evidence.statement[language].replace(weighed.join(' '), '')].flatMap((one) =>
      missing('strength', reports, one),
    ),
    ...missing('error rate', reports, evidence.errorRate?.[language] ?? ''),
    ...missing('error rate', reports, told.errorRate),
    ...figures.flatMap(({ value, limits }) => [
      ...missing('probability', { pdf, html, card }, value),
      ...(limits ?? []).flatMap((limit) => missing('limit', { pdf, html }, limit)),
    ]),
    ...placesMissing(surfaces),
    ...speaking.flatMap((finding) => [
      ...missing('finding', { pdf, html }, printable(finding.statement[language], 1200)),
      ...missing('step', { pdf, html }, writeNextStep(finding, language)),
    ]),
    ...writeNextSteps(speaking, language).flatMap((step) => missing('step', { card }, step)),
    ...evidence.notChecked.flatMap(({ statement }) =>
      missing('not checked', { pdf, html }, statement[language]),
    ),
    ...numbersApart(pdf, html),
    // Values from the file itself may be any word.
    ...Object.entries({ ...everywhere, pdf })
      .flatMap(([name, text]) => codesIn(text).map((code) => [name, code] as const))
      .filter(([, code]) => !JSON.stringify(evidence.facts?.metadata ?? {}).includes(code))
      .map(([name, code]) => `${name}: a word of the code: ${code}`),
  ];
}

export function missing(
  what: string,
  surfaces: Readonly<Record<string, string>>,
  text: string,
): readonly string[] {
  return Object.entries(surfaces)
    .filter(([, surface]) => !surface.includes(flat(text)))
    .map(([name]) => `${name}: ${what} differs: ${flat(text).slice(0, 120)}`);
}

/** The list of the picture must have the same numbers, and no more places than JSON. */
function placesMissing({ record, language, firstPage, html }: Surfaces): readonly string[] {
  const result = resultIn(record);
  // Outside the validated range places have no tested meaning, and none are shown.
  const areas = result === null || result.changed === null ? [] : result.areas;
  const words = wordsIn(language);
  const isStated = firstPage.includes(words.document.head.rows.marked);
  if (!isStated) return areas.length === 0 ? [] : ['no places'];
  const written = areas.map(({ place, share }, at) => {
    const where = words.outcome.where(
      words.findings.places[place],
      words.findings.writeShare(share),
    );
    return `${at + 1}: ${where}`;
  });
  return written.flatMap((text) => missing('place', { 'first page': firstPage, html }, text));
}

/** As much as the console shows: it does not know the upright size, and so shows no places. */
function readConsole({ result, evidence }: AnalysisRecord, language: Language): string {
  if (result === null || evidence === null) return '';
  const inferenceStatus = {
    type: 'image',
    version: '',
    status: 'completed',
    statusMessage: '',
    retryCount: 0,
    processingStartTime: null,
    processingFinishTime: null,
    result: { ...result, report: null, evidence },
  } as const;
  const {
    headline = '',
    next = '',
    errorRate = '',
  } = writeVerdict({ inferenceStatus }, language) ?? {};
  return flat([headline, next, errorRate].join(' '));
}

/** Numbers that one report states and the other does not. Labels of scales and pages are only in one form. */
function numbersApart(pdf: string, html: string): readonly string[] {
  const [inPdf, inHtml] = [numbersOf(pdf), numbersOf(html)];
  const scale = new Set(['0.25', '0.5', '0.75', '0,25', '0,5', '0,75']);
  return [
    ...[...inPdf].filter((one) => !inHtml.has(one) && !scale.has(one)).map((one) => `html: ${one}`),
    ...[...inHtml].filter((one) => !inPdf.has(one)).map((one) => `pdf: ${one}`),
  ].map((one) => `${one} is missing`);
}

function numbersOf(text: string): ReadonlySet<string> {
  return new Set(
    [...text.matchAll(/(?<![\w.,])\d+(?:[.,]\d+)+(?![\w])/g)].map(([number]) => number),
  );
}

const codes: readonly string[] = [
  ...reasonCodes,
  ...notCheckedIds,
  ...inconsistencyCodes,
  ...resultSubClasses,
  'moderatelyStrong',
  'veryStrong',
  'manipulatedMin',
  'suspectedMin',
  'fakeMin',
  'realMax',
].filter((code) => /[_A-Z-]/.test(code));

export function codesIn(text: string): readonly string[] {
  return [
    ...codes.filter((code) => new RegExp(`(?<![\\w/.-])${code}(?![\\w/-])`).test(text)),
    ...(text.match(
      /\b(?:undefined|NaN|\[object \w+\]|decision\.\w+|(?:real|fake|uncertain|abstain) \(\d\))/g,
    ) ?? []),
  ];
}

export function flat(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
