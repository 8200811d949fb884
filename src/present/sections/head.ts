/** The first page: enough for a reader who reads nothing else. */

import { createHash } from 'node:crypto';
import { shareInterval } from '../../engine/likelihood-ratio.ts';
import type { Examination } from '../../engine/result.ts';
import { suspectsChange } from '../evidence.ts';
import { changeErrorRatesOf, worstError } from '../error-rate.ts';
import { looksLikeCameraFile, writeOrigin } from '../origin.ts';
import type { NumberWriter } from '../numbers.ts';
import { capitalised, nameIn, printable } from '../printable.ts';
import type { ReportItem } from '../report-item.ts';
import type { Words } from '../wording/catalogue.ts';
import { type Block, note, type Row, row, type SectionInput } from './blocks.ts';
import { foreignRow } from './foreign.ts';
import { markedRegion, outcomeOf, stateFigures, writeJoint, writeRegion } from './stated.ts';

export function headBlocks(input: SectionInput): readonly Block[] {
  const { texts, catalogue, labels, examination } = input;
  const { facts, evaluation } = catalogue.document.parts;
  const region = markedRegion(examination);
  return [
    {
      kind: 'verdict',
      headline: headlineOf(input),
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

function headlineOf({ examination, evidence, labels }: SectionInput): string {
  const { resultClass } = examination.decision;
  if (resultClass !== 'fake' || evidence.basis === 'traces') return labels.headlines[resultClass];
  return evidence.basis === 'declaration' ? labels.headlineDeclared : labels.headlineChanged;
}

/** How sure, how often wrong, what else the file says, what is open and what to do now. */
function answerRows(input: SectionInput): readonly Row[] {
  const { evidence, examination, language, catalogue, labels } = input;
  const { rows, unchecked } = catalogue.document.head;
  const { notCheckedBrief } = catalogue.limits;
  const things = evidence.notChecked.map(({ id }) => notCheckedBrief[id]);
  const wrong = writeWrong(input);
  const region = writeRegion(input);
  const origin = writeOrigin(evidence.provenance, language).map((one) => printable(one, 160));
  const isOpen = examination.decision.reasons.length > 0;
  return [
    { label: rows.strength, value: evidence.statement[language] },
    { label: rows.probabilities, value: writeProbabilities(input) },
    ...row(region !== null, labels.rows.changeRegion, region ?? ''),
    ...row(wrong !== '', rows.wrong, wrong),
    { label: rows.origin, value: `${capitalised(origin.join('; '))}.` },
    { label: rows.unchecked, value: unchecked(capitalised(things.join('; '))) },
    {
      label: rows.next,
      value: [isOpen ? writeHelp(input) : writeNext(input), ...writeSigner(input)].join(' '),
    },
  ];
}

/** How to have the signer checked, where a signature holds and no list of trusted signers was given. */
function writeSigner({ evidence, catalogue }: SectionInput): readonly string[] {
  const { credentials } = evidence.provenance;
  const isOpen = credentials?.integrity === 'valid' && credentials.trust === 'not-checked';
  return isOpen ? [catalogue.document.head.signer] : [];
}

function writeProbabilities(input: SectionInput): string {
  const { catalogue, examination } = input;
  const { head } = catalogue.document;
  const { generated, changed } = stateFigures(examination);
  if (generated === null && changed === null) return `${capitalised(head.notStated)}.`;
  const joint = writeJoint(input);
  const parts = [
    ...(generated === null ? [] : [writeGenerated(input, generated)]),
    ...(changed === null ? [] : [head.changed(writeChanged(input, changed))]),
    ...(joint === null ? [] : [head.either(joint)]),
  ];
  const told = parts.map(capitalised).join('\n');
  return outcomeOf(examination.decision) === 'declared'
    ? `${capitalised(head.byTraces.trim())}\n${told}`
    : told;
}

/** With the limits that it was held against, unless the file's own declaration decided. */
function writeGenerated(
  { catalogue, numbers, examination }: SectionInput,
  { value, deviation }: NonNullable<ReturnType<typeof stateFigures>['generated']>,
): string {
  const { realMax, fakeMin } = examination.decision.thresholds;
  const isDeclared = outcomeOf(examination.decision) === 'declared';
  const { generated } = catalogue.document.head;
  if (realMax === undefined || fakeMin === undefined || isDeclared) {
    return generated(numbers.score(value), numbers.score(deviation));
  }
  const score = scoreApart(numbers, value, [realMax, fakeMin]);
  const p = generated(score(value), numbers.score(deviation));
  const { limits, betweenLimits, heldBack } = catalogue.measurements.results;
  const isOpen = examination.decision.reasons.length > 0;
  const isBetween = value > realMax && value < fakeMin;
  const write = isBetween ? betweenLimits : isOpen ? heldBack : limits;
  return write(p, score(realMax), score(fakeMin));
}

/** A value that rounds to a limit gets the digits that tell them apart: who reads "0.21" twice sees a contradiction. */
function scoreApart(
  numbers: NumberWriter,
  value: number,
  limits: readonly number[],
): NumberWriter['score'] {
  const digits = [2, 3, 4].find((each) =>
    limits.every((limit) => limit.toFixed(each) !== value.toFixed(each)),
  );
  return digits === undefined || digits === 2
    ? numbers.score
    : (score) => numbers.fixed(score, digits);
}

/** With the limits that it was held against: half a chance of a change is no sign of one. */
function writeChanged({ catalogue, numbers, examination }: SectionInput, changed: number): string {
  const { suspectedMin, manipulatedMin } = examination.decision.thresholds;
  if (suspectedMin === undefined || manipulatedMin === undefined) return numbers.score(changed);
  const score = scoreApart(numbers, changed, [suspectedMin, manipulatedMin]);
  const { changeLimits } = catalogue.measurements.results;
  return changeLimits(score(changed), score(suspectedMin), score(manipulatedMin));
}

/** The same sentence as the terminal, and behind it the condition under which it is worst. Empty where nothing was decided. */
function writeWrong(input: SectionInput): string {
  const { examination, evidence, language, catalogue, numbers, labels } = input;
  const told = evidence.errorRate?.[language] ?? '';
  const { measured, options, decision } = examination;
  const outcome = outcomeOf(decision);
  const { worstShort } = catalogue.limits.validation;
  const calls = changeErrorRatesOf(examination);
  if (outcome === 'changed' && calls !== null) {
    const { photographs, photographsCalled } = calls;
    const { high } = shareInterval(Math.round(photographsCalled * photographs), photographs);
    return `${told} ${worstShort.changed(numbers.rate(high))}`;
  }
  if ((outcome !== 'real' && outcome !== 'fake') || measured.length < 2) return told;
  const side = outcome === 'real' ? 'fake' : 'real';
  const worst = worstError(measured, options.decisionStrategy, side);
  if (worst === null) return told;
  const { condition } = worst.measured;
  const short = worstShort[side]({
    condition: nameIn(labels.validation.conditions, condition, printable(condition, 60)),
    rate: numbers.rate(worst.error.rate),
    high: numbers.rate(worst.error.high),
  });
  return `${told} ${short}`;
}

/** What helps elsewhere, an earlier copy, makes no sense where this is the camera's own file. */
const askForOriginal: ReadonlySet<string> = new Set([
  'fake',
  'too_small',
  'too_compressed',
  'no_usable_trace',
  'margin_within_uncertainty',
  'unstable_under_resaving',
  'manipulation_suspected',
]);

function writeHelp({ examination, catalogue, evidence }: SectionInput): string {
  const { next } = catalogue.terminal;
  const isOriginal = looksLikeCameraFile(evidence.provenance);
  const steps = examination.decision.reasons.map((reason) =>
    isOriginal && askForOriginal.has(reason) ? next.compare : next[reason],
  );
  const isMarked = suspectsChange(examination.decision) && markedRegion(examination) !== null;
  return [...new Set([...(isMarked ? [next.changed] : []), ...steps])].join(' ');
}

function writeNext({ examination, catalogue, evidence }: SectionInput): string {
  const { next } = catalogue.terminal;
  const outcome = outcomeOf(examination.decision);
  const { provenance } = evidence;
  const isOriginal = looksLikeCameraFile(provenance);
  const isVouched = provenance.declarations.some(({ assurance }) => assurance === 'trusted');
  const steps = {
    real: next.real,
    fake: isOriginal ? next.compare : next.fake,
    changed: next.changed,
    declared: isVouched ? next.vouched : next.declared,
    uncertain: '',
    abstain: '',
  };
  return [steps[outcome], catalogue.limits.limits.examinerShort].join(' ');
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
