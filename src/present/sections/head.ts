/** The first page: enough for a reader who reads nothing else. */

import { createHash } from 'node:crypto';
import { shareInterval } from '../../engine/likelihood-ratio.ts';
import type { Examination } from '../../engine/result.ts';
import { worstError } from '../error-rate.ts';
import { type Figure, writeFigures } from '../presentation.ts';
import { capitalised, nameIn, printable } from '../printable.ts';
import type { ReportItem } from '../report-item.ts';
import { markedRegion } from '../result.ts';
import type { Words } from '../wording/catalogue.ts';
import { type Block, note, type Row, row, type SectionInput, foreignRow } from './blocks.ts';
import { writeJoint, writeRegion } from './results.ts';

export function headBlocks(input: SectionInput): readonly Block[] {
  const { texts, catalogue, labels, examination, presentation } = input;
  const { facts, evaluation } = catalogue.document.parts;
  const region = markedRegion(examination);
  return [
    {
      kind: 'verdict',
      headline: presentation.headline,
      text: texts.summary,
      region,
      caption: region === null ? labels.original : catalogue.document.head.outlined,
    },
    { kind: 'table', rows: answerRows(input), isTight: true },
    { kind: 'table', rows: identityRows(input), isTight: true },
    { kind: 'contents', title: catalogue.document.head.contents },
    note(catalogue.document.head.reading({ facts, evaluation })),
  ];
}

/** How sure, how often wrong, what else the file says, what is open and what to do now. */
function answerRows(input: SectionInput): readonly Row[] {
  const { evidence, examination, language, catalogue, labels, presentation } = input;
  const { rows, unchecked } = catalogue.document.head;
  const { notCheckedBrief, limits } = catalogue.limits;
  const things = evidence.notChecked.map(({ id }) => notCheckedBrief[id]);
  const wrong = writeWrong(input);
  const region = writeRegion(input);
  const { next, further, origin } = presentation;
  const isOpen = examination.decision.reasons.length > 0;
  const steps = [next, ...further, ...(isOpen ? [] : [limits.examinerShort])];
  return [
    { label: rows.strength, value: evidence.statement[language] },
    { label: rows.probabilities, value: writeProbabilities(input) },
    ...row(region !== null, labels.rows.changeRegion, region ?? ''),
    ...row(wrong !== '', rows.wrong, wrong),
    { label: rows.origin, value: printable(origin, 480) },
    { label: rows.unchecked, value: unchecked(capitalised(things.join('; '))) },
    { label: rows.next, value: steps.join(' ') },
  ];
}

function writeProbabilities(input: SectionInput): string {
  const { catalogue, result, language } = input;
  const { head } = catalogue.document;
  const { generated, changed } = writeFigures(result, language);
  if (generated === null && changed === null) return `${capitalised(head.notStated)}.`;
  const joint = writeJoint(input);
  const parts = [
    ...(generated === null ? [] : [writeGenerated(input, generated)]),
    ...(changed === null ? [] : [head.changed(writeChanged(input, changed))]),
    ...(joint === null ? [] : [head.either(joint)]),
  ];
  const aside = result.outcome === 'declared' ? [head.byTraces.trim()] : [];
  return [...aside, ...parts].map(capitalised).join('\n');
}

/** With the limits that it was held against, unless the file's own declaration decided. */
function writeGenerated(
  { catalogue, result: { outcome, reasons, generated, thresholds } }: SectionInput,
  { value, deviation, limits }: Figure,
): string {
  const p = catalogue.document.head.generated(value, deviation ?? '');
  if (limits === null || outcome === 'declared') return p;
  const { realMax = 0, fakeMin = 1 } = thresholds;
  const exact = generated?.value ?? 0;
  const words = catalogue.measurements.results;
  if (exact > realMax && exact < fakeMin) return words.betweenLimits(p, ...limits);
  return reasons.length > 0 ? words.heldBack(p, ...limits) : words.limits(p, ...limits);
}

/** With the limits that it was held against: half a chance of a change is no sign of one. */
function writeChanged({ catalogue }: SectionInput, { value, limits }: Figure): string {
  return limits === null ? value : catalogue.measurements.results.changeLimits(value, ...limits);
}

/** Behind the sentence that every reader gets, the condition under which it is worst. Empty where nothing was decided. */
function writeWrong(input: SectionInput): string {
  const { examination, presentation, result, catalogue, numbers, labels } = input;
  const { outcome, errorRate } = presentation;
  const { measured, options } = examination;
  const { worstShort } = catalogue.limits.validation;
  const calls = result.errors?.calls ?? null;
  if (outcome === 'changed' && calls !== null) {
    const { photographs, photographsCalled } = calls;
    const { high } = shareInterval(Math.round(photographsCalled * photographs), photographs);
    return `${errorRate} ${worstShort.changed(numbers.rate(high))}`;
  }
  if ((outcome !== 'real' && outcome !== 'fake') || measured.length < 2) return errorRate;
  const side = outcome === 'real' ? 'fake' : 'real';
  const worst = worstError(measured, options.decisionStrategy, side);
  if (worst === null) return errorRate;
  const { condition } = worst.measured;
  const short = worstShort[side]({
    condition: nameIn(labels.validation.conditions, condition, printable(condition, 60)),
    rate: numbers.rate(worst.error.rate),
    high: numbers.rate(worst.error.high),
  });
  return `${errorRate} ${short}`;
}

function identityRows(input: SectionInput): readonly Row[] {
  const { examination, item, labels, catalogue, numbers } = input;
  const { rows } = labels;
  const { head } = catalogue.document;
  const program = `${labels.product} ${printable(examination.environment['forensics'] ?? '')}`;
  return [
    ...caseRows(item, catalogue),
    {
      label: rows.report,
      value: [
        reportNumber(examination, item),
        ...(item.analysisId === null ? [] : [`${rows.analysis} ${printable(item.analysisId)}`]),
      ].join('; '),
    },
    { label: rows.examinedAt, value: numbers.time(item.examinedAt) },
    { label: rows.preparedBy, value: head.preparedBy(program.trim()) },
  ];
}

/** Who ordered it, who answers for it; nothing where nobody said so. The laboratory stands above the title. */
function caseRows({ caseData }: ReportItem, { document }: Words): readonly Row[] {
  if (caseData === undefined) return [];
  const { caseNumber, exhibit, examiner, note: remark } = caseData;
  const words = document.caseData;
  const named = [
    ...(caseNumber === undefined ? [] : [printable(caseNumber, 80)]),
    ...(exhibit === undefined ? [] : [`${words.exhibit} ${printable(exhibit, 80)}`]),
    ...(examiner === undefined ? [] : [`${words.examiner} ${printable(examiner, 80)}`]),
  ];
  return [
    ...row(named.length > 0, words.caseNumber, named.join('; ')),
    ...foreignRow(words.note, remark ?? null, 300),
  ];
}

/**
 * The same for every language of one report, another one for every other picture, model, setting or run: 48 bits of a
 * SHA-256 in groups of four digits.
 */
function reportNumber(
  { facts, model, options }: Examination,
  { analysisId, examinedAt }: ReportItem,
): string {
  const parts = [facts.sha256, model.files, options, analysisId, examinedAt.toISOString()];
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return digest.slice(0, 12).toUpperCase().match(/.{4}/g)!.join('-');
}
