/** What was found and what it means, in paragraphs: the contract's `forensic` text. */

import type { Evidence } from '../contract/evidence.ts';
import { formatNames } from '../contract/formats.ts';
import type { Language } from '../contract/vocabulary.ts';
import type { Decision, Examination } from '../engine/result.ts';
import { suspectsChange, writeEvidence } from './evidence.ts';
import { createNumberWriter, type NumberWriter } from './numbers.ts';
import { nameIn, printable } from './printable.ts';
import type { ReportItem } from './report-item.ts';
import { type ReportWords, reportWordsIn } from './wording/report-words.ts';

/** Longest file name in a sentence, in characters; the report's table has room for more. */
const nameLimit = 80;

/**
 * What was examined and how, which side the evidence supports and why not more strongly, the findings, and why nothing
 * was decided; paragraphs are separated by an empty line.
 */
export function writeForensic(writing: Writing): string {
  const { evidence, language, examination, catalogue } = writing;
  const isOutside = leadsToAbstain(examination.decision);
  const support = [evidence.cap, evidence.stability].filter((one) => one !== null);
  return [
    writeItem(writing),
    sentences([
      writeMethod(writing),
      ...(isOutside ? [catalogue.measurements.results.outside] : []),
    ]),
    sentences([...writeApplied(writing), evidence.statement[language]]),
    ...support.map(({ statement }) => statement[language]),
    ...writeFindings(writing),
    ...evidence.reasons.map(({ statement }) => statement[language]),
  ].join('\n\n');
}

/** Whether the picture's traces are outside the range in which the model's values have a validated meaning. */
export function leadsToAbstain({ byTraces, resultClass }: Decision): boolean {
  return (byTraces?.resultClass ?? resultClass) === 'abstain';
}

function writeItem({ examination: { facts }, item, catalogue, numbers }: Writing): string {
  const size = `${numbers.count(facts.width)} × ${numbers.count(facts.height)}`;
  const { pixels, bytes } = catalogue.labels;
  const format = formatNames[facts.format];
  const about = `${format}, ${size} ${pixels}, ${numbers.count(facts.sizeBytes)} ${bytes}`;
  const name = printable(item.name, nameLimit);
  return catalogue.measurements.forensic.item({ name, facts: about, sha256: facts.sha256 });
}

function writeMethod({ examination, catalogue, numbers }: Writing): string {
  const { model, patchesRead, passes } = examination;
  return catalogue.measurements.forensic.method({
    model: `${printable(model.id)} ${printable(model.version)}`,
    patches: numbers.count(patchesRead),
    passes: numbers.count(passes),
  });
}

/** Compares the values as printed: "more (0.61) than (0.61)" would puzzle every reader. */
function nearerClass({
  examination: { classSimilarities },
  numbers,
}: Pick<Writing, 'examination' | 'numbers'>): 'real' | 'fake' | 'neither' {
  const { realCompressed, fakeCompressed } = classSimilarities;
  if (numbers.score(realCompressed) === numbers.score(fakeCompressed)) return 'neither';
  return realCompressed > fakeCompressed ? 'real' : 'fake';
}

/** Whether the similarity to the two classes contradicts a decision by traces. */
export function isSimilarityOpposite(writing: Pick<Writing, 'examination' | 'numbers'>): boolean {
  const { resultClass, basis } = writing.examination.decision;
  const nearer = nearerClass(writing);
  if (resultClass === 'real') return nearer === 'fake';
  return resultClass === 'fake' && basis === 'traces' && nearer === 'real';
}

function writeApplied({ examination, catalogue, numbers }: Writing): readonly string[] {
  const { decision, options } = examination;
  if (isDeclared(decision) || decision.resultClass === 'abstain') return [];
  const { forensic } = catalogue.measurements;
  const strategy = catalogue.verdict.strategies[options.decisionStrategy];
  const changed = numbers.score(examination.manipulation?.probability ?? 0);
  if (decision.basis === 'localisation')
    return [forensic.decisionByChange({ p: changed, strategy })];
  const p = numbers.score(decision.fakeProbability);
  const deviation = numbers.score(decision.fakeUncertainty);
  return suspectsChange(decision)
    ? [forensic.decisionByBoth({ p, deviation, changed, strategy })]
    : [forensic.decision({ p, deviation, strategy })];
}

/** Whether the decision rests on the file's own declaration, without any probability or strategy. */
export function isDeclared({ basis, resultClass }: Decision): boolean {
  return basis === 'declaration' && resultClass === 'fake';
}

function writeFindings({ evidence, catalogue, language }: Writing): readonly string[] {
  const { findings, skipped } = evidence;
  const statements = findings.map(({ statement }) => printable(statement[language], 2000));
  const methods = skipped.map(({ method }) =>
    nameIn(catalogue.findings.methods, method, printable(method)),
  );
  return [
    ...(statements.length === 0
      ? []
      : [sentences([catalogue.measurements.forensic.findings, ...statements])]),
    ...(methods.length === 0 ? [] : [catalogue.measurements.forensic.skipped(methods.join(', '))]),
  ];
}

/** The input to every text in a report. */
export interface Writing {
  readonly examination: Examination;
  readonly evidence: Evidence;
  readonly item: ReportItem;
  readonly language: Language;
  readonly catalogue: ReportWords;
  readonly numbers: NumberWriter;
  /** One of the given sentences, chosen by the seed of the examination. */
  readonly vary: <T>(variants: readonly T[], slot: string) => T;
}

export function openWriting(
  examination: Examination,
  item: ReportItem,
  language: Language,
): Writing {
  return {
    examination,
    evidence: writeEvidence(examination),
    item,
    language,
    catalogue: reportWordsIn(language),
    numbers: createNumberWriter(language),
    vary: (variants, slot) => choose(variants, examination.options.seed, slot),
  };
}

/**
 * One of several sentences with the same meaning. FNV-1a (32 bit) of `seed:slot`, folded to 16 bits, modulo their
 * number: the seed changes the wording, never a figure, and each slot varies independently.
 *
 * @see G. Fowler, L. C. Noll, K.-P. Vo, the FNV non-cryptographic hash, for offset basis and prime.
 */
function choose<T>(variants: readonly T[], seed: number, slot: string): T {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(`${seed}:${slot}`)) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  return variants[((hash >>> 16) ^ (hash & 0xffff)) % variants.length]!;
}

export function sentences(parts: readonly string[]): string {
  return parts.join(' ');
}
