/** The first page: question, answer, where, why, what speaks against it, how far it goes, who did what, and which file. */

import { createHash } from 'node:crypto';
import { modelName } from '../../engine/contract.ts';
import { areaOf } from '../../detectors/regions.ts';
import type { Examination } from '../../engine/result.ts';
import { formatNames } from '../../contract/formats.ts';
import type { WordedFinding } from '../findings.ts';
import { type Figure, writeFigures } from '../presentation.ts';
import { capitalised, nameIn, printable } from '../printable.ts';
import { type ReportItem, writeActor } from '../report-item.ts';
import { markedPlaces } from '../result.ts';
import { type Block, type Row, row, type SectionInput, foreignRow } from './blocks.ts';
import { isShown, methodName, toldInProvenance, writeSide } from './findings.ts';

export function headBlocks(input: SectionInput): readonly Block[] {
  const { catalogue, labels, examination, presentation } = input;
  const { head, question } = catalogue.document;
  const places = markedPlaces(examination).map(({ region }) => region);
  const beside = [
    { title: head.rows.marked, items: markedBy(input) },
    { title: head.rows.reasons, items: reasonsOf(input) },
    { title: head.rows.against, items: opposingOf(input) },
  ];
  return [
    {
      kind: 'verdict',
      question: question.short,
      headline: presentation.headline,
      text: presentation.because,
      places,
      caption: places.length === 0 ? labels.original : head.outlined,
      beside: beside.filter(({ items }) => items.length > 0),
    },
    { kind: 'table', rows: answerRows(input), isTight: true },
    { kind: 'table', rows: identityRows(input), isTight: true },
  ];
}

/** Each numbered place, and the methods that mark it by themselves; the annex has the pixels. */
function markedBy({ examination, catalogue }: SectionInput): readonly string[] {
  const { findings, outcome } = catalogue;
  return markedPlaces(examination).map(({ region, methods }, at) => {
    const { place, share } = areaOf(region, examination.facts);
    const where = outcome.where(findings.places[place], findings.writeShare(share));
    const by = methods.map((one) => nameIn(findings.methods, one, printable(one, 60)));
    return `${at + 1}: ${where}${by.length === 0 ? '' : ` (${by.join(', ')})`}`;
  });
}

/** On the first page; the section on findings has all. What a file declares takes more words. */
const namedFindings = { usual: 3, declared: 2 } as const;

/** What the answer rests on, the weightiest first; of an open one what was found on either side, and why that does not do. */
function reasonsOf(input: SectionInput): readonly string[] {
  const { evidence, examination, language, result } = input;
  const isOpen = result.outcome === 'uncertain' || result.outcome === 'abstain';
  const side = result.outcome === 'real' ? 'real' : 'fake';
  const found = speaking(input, (one) => isOpen || one === side);
  const isSuspected = examination.decision.reasons.includes('manipulation_suspected');
  const isFirst = ({ method, speaksFor }: WordedFinding) =>
    (result.outcome === 'declared' && toldInProvenance.has(method)) ||
    (isSuspected && speaksFor === 'fake');
  const supporting = [...found.filter(isFirst), ...found.filter((one) => !isFirst(one))].map(
    (one) => writeReason(input, one),
  );
  const { manipulation } = evidence;
  const silent =
    result.outcome === 'real' && manipulation !== null ? [manipulation.statement[language]] : [];
  const why = evidence.reasons.map(({ statement }) => statement[language]);
  return [...supporting, ...silent, ...why].slice(
    0,
    namedFindings[result.outcome === 'declared' ? 'declared' : 'usual'],
  );
}

function opposingOf(input: SectionInput): readonly string[] {
  const { evidence, language, catalogue, result } = input;
  const { outcome } = result;
  const opposite = outcome === 'real' ? 'fake' : 'real';
  const isOpen = outcome === 'uncertain' || outcome === 'abstain';
  const findings = isOpen
    ? []
    : speaking(input, (side) => side === opposite).map((one) => writeReason(input, one));
  const doubts = evidence.provenance.inconsistencies.map(({ statement }) =>
    printable(statement[language], 300),
  );
  const own = [...findings, ...(outcome === 'real' ? doubts : [])].slice(0, 2);
  const { otherwise, nothingAgainst } = catalogue.document.head;
  if (outcome === 'abstain') return [];
  return [...(own.length === 0 && !isOpen ? [nothingAgainst] : own), otherwise[outcome]];
}

function speaking(
  { evidence, item, examination }: SectionInput,
  isWanted: (side: 'real' | 'fake') => boolean,
): readonly WordedFinding[] {
  if (examination.decision.resultClass === 'abstain') return [];
  return evidence.findings.filter(
    ({ method, speaksFor, strength }) =>
      speaksFor !== 'neither' &&
      strength !== 'none' &&
      isWanted(speaksFor) &&
      isShown(method, item),
  );
}

function writeReason(input: SectionInput, finding: WordedFinding): string {
  const told = printable(finding.statement[input.language], 400);
  return `${methodName(input, finding.method)} (${writeSide(input, finding)}): ${told}`;
}

/** How strong, how sure, how often wrong, what else the file says, how far it goes, what is open and what to do now. */
function answerRows(input: SectionInput): readonly Row[] {
  const { evidence, examination, language, catalogue, presentation, result } = input;
  const { rows, unchecked } = catalogue.document.head;
  const { notCheckedBrief, limits } = catalogue.limits;
  const things = evidence.notChecked.map(({ id }) => notCheckedBrief[id]);
  const { next, further, origin, errorRate } = presentation;
  const isOpen = examination.decision.reasons.length > 0;
  const steps = [next, ...further, ...(isOpen ? [] : [limits.examinerShort])];
  const [conclusion = ''] = catalogue.verdict.conclusion[result.outcome];
  return [
    { label: rows.strength, value: evidence.statement[language] },
    { label: rows.probabilities, value: writeProbabilities(input) },
    ...row(errorRate !== '', rows.wrong, errorRate),
    { label: rows.origin, value: printable(origin, 480) },
    ...row(!isOpen, rows.limits, conclusion),
    { label: rows.unchecked, value: unchecked(capitalised(things.join('; '))) },
    { label: rows.next, value: steps.join(' ') },
  ];
}

function writeProbabilities({ catalogue, result, language }: SectionInput): string {
  const { head } = catalogue.document;
  const { generated, changed } = writeFigures(result, language);
  if (generated === null && changed === null) return `${capitalised(head.notStated)}.`;
  const words = catalogue.measurements.results;
  const isDeclared = result.outcome === 'declared';
  const withLimits = (
    told: string,
    { limits }: Figure,
    write: (told: string, low: string, high: string) => string,
  ) => (limits === null || isDeclared ? told : write(told, ...limits));
  const parts = [
    ...(isDeclared ? [head.byTraces.trim()] : []),
    ...(generated === null
      ? []
      : [
          withLimits(
            head.generated(generated.value, generated.deviation ?? ''),
            generated,
            words.limits,
          ),
        ]),
    ...(changed === null
      ? []
      : [withLimits(head.changed(changed.value), changed, words.changeLimits)]),
  ];
  return parts.map(capitalised).join('\n');
}

/** Program, operator and reviewer are three roles; then the file, and this report. */
function identityRows(input: SectionInput): readonly Row[] {
  const { examination, item, labels, catalogue, numbers } = input;
  const { facts, model, locator, environment } = examination;
  const { head, caseData, custody } = catalogue.document;
  const { rows } = head;
  const version = `${labels.product} ${printable(environment['forensics'] ?? '')}`.trim();
  const models = [model, ...(locator === null ? [] : [locator])].map((one) =>
    printable(modelName(one), 80),
  );
  const { caseNumber, exhibit, examiner, note } = item.caseData ?? {};
  const named = [
    ...(caseNumber === undefined ? [] : [printable(caseNumber, 80)]),
    ...(exhibit === undefined ? [] : [`${caseData.exhibit} ${printable(exhibit, 80)}`]),
  ];
  const operator = item.custody?.find(({ actor }) => actor !== 'service')?.actor;
  const size = `${numbers.count(facts.width)} × ${numbers.count(facts.height)} ${labels.pixels}`;
  const bytes = `${numbers.count(facts.sizeBytes)} ${labels.bytes}`;
  return [
    { label: rows.program, value: head.program(version, models.join(', ')) },
    {
      label: rows.operator,
      value:
        operator === undefined
          ? head.noOperator
          : capitalised(printable(writeActor(operator, custody.actors), 80)),
    },
    {
      label: rows.reviewer,
      value: examiner === undefined ? head.noReviewer : head.reviewer(printable(examiner, 80)),
    },
    ...row(named.length > 0, caseData.caseNumber, named.join('; ')),
    ...foreignRow(caseData.note, note ?? null, 300),
    {
      label: rows.file,
      value: `${formatNames[facts.format]}, ${size}, ${bytes}, SHA-256 ${facts.sha256}`,
    },
    {
      label: labels.rows.report,
      value: [
        reportNumber(examination, item),
        ...(item.analysisId === null
          ? []
          : [`${labels.rows.analysis} ${printable(item.analysisId)}`]),
        `${labels.rows.examinedAt} ${numbers.time(item.examinedAt)}`,
      ].join('; '),
    },
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
