/** One picture's verdict and what it rests on, for a person to read. */

import { basename, dirname } from 'node:path';
import {
  type ResultClass,
  resultSubClasses,
  type DecisionBasis,
  type ResultSubClass,
  type Side,
  type Strength,
} from '../../contract/vocabulary.ts';
import type { PictureNote } from '../../image/picture.ts';
import { createNumberWriter } from '../../report/numbers.ts';
import { type RankedFinding, suspectsChange } from '../../report/evidence.ts';
import { wordsIn } from '../../report/wording/catalogue.ts';
import { layCard, listRows, type Row } from '../output/details.ts';
import { printable } from '../output/print.ts';
import { paint, type Style } from '../output/terminal.ts';
import type { AnalysisRecord } from './record.ts';

const { reasons: reasonWords } = wordsIn('en').verdict;

export const verdictStyles: Readonly<Record<ResultClass, Style>> = {
  real: ['bold', 'green'],
  fake: ['bold', 'red'],
  uncertain: ['bold', 'yellow'],
  abstain: ['bold', 'cyan'],
};

/** @param columns - width to wrap at. */
export function detailsOf(record: AnalysisRecord, columns: number): string {
  const colour = paint(process.stdout);
  const verdict = record.verdict!;
  const title = `${printable(record.file)}: ${colour(verdictStyles[verdict], verdict.toUpperCase())}`;
  return layCard(title, rowsOf(record), columns);
}

function rowsOf(record: AnalysisRecord): readonly Row[] {
  const { result, picture, model, options } = record;
  const kinds = result!.resultSubClasses.map((n) => subClassWords[resultSubClasses[n]!]);
  const notes = (picture!.notes ?? []).map((note) => noteSentence(note, record));
  return [
    ['Verdict', sentenceOf(record)],
    ...strengthRows(record),
    ...rowIf(isChanged(record) ? 'P(change)' : 'P(fake)', probabilityOf(record)),
    ...rowIf('P(change)', suspicionOf(record)),
    ...rowIf('Kind', kinds.join(', ')),
    ...rowIf('Change', changeOf(record)),
    ...rowIf('Error rate', errorRateOf(record)),
    ...listRows(
      'Because',
      record.reasons.map((reason) => reasonWords[reason].what),
    ),
    ...listRows(
      'Helpful',
      record.reasons.map((reason) => reasonWords[reason].help),
    ),
    ...(result!.predictions ? forensicRows(record) : []),
    ['Picture', pictureOf(record)],
    ...listRows('Note', notes),
    [
      'Model',
      `${model!.id} ${model!.version}, ${options!.decisionStrategy} strategy, seed ${record.seed}`,
    ],
    ...rowIf('SHA-256', record.sha256 ?? ''),
    ...rowIf('Analysis', record.analysisId ?? ''),
    ...rowIf('Written', writtenOf(record)),
  ];
}

function sentenceOf(record: AnalysisRecord): string {
  if (isDeclared(record)) return declaredSentence;
  return isChanged(record) ? changedSentence : verdictSentences[record.verdict!];
}

function isDeclared(record: AnalysisRecord): boolean {
  return basisOfFake(record) === 'declaration';
}

function isChanged(record: AnalysisRecord): boolean {
  return basisOfFake(record) === 'localisation';
}

/** Where a change is part of the result. A server of an earlier version does not report changes. */
function changeOf(record: AnalysisRecord): string {
  const { result, reasons, evidence } = record;
  const kinds = result!.resultSubClasses.map((n) => resultSubClasses[n]);
  const isNamed = !isDeclared(record) && kinds.some((kind) => kind !== 'ai-generated');
  return isNamed || suspectsChange({ reasons }) ? (evidence?.manipulation?.statement.en ?? '') : '';
}

/** An abstention has a number behind it too, but not one that means anything: it is not shown. Servers do not send it. */
function probabilityOf(record: AnalysisRecord): string {
  const { verdict, decision } = record;
  if (verdict === 'abstain')
    return 'not stated: it would mean nothing for a picture outside the validated kind';
  if (isDeclared(record)) return declaredInsteadOf(record);
  const stated = statedProbability(record);
  if (decision === null || stated === null) return '';
  const words = isChanged(record) ? changeLimits : traceLimits;
  return `${wordProbability(stated)}${ruleOf(decision, words)}`;
}

/** Beside the probability of a fake, which may be low: what keeps the picture from being called real. */
function suspicionOf({ reasons, decision }: AnalysisRecord): string {
  if (decision?.changeProbability == null || !suspectsChange({ reasons })) return '';
  const stated = { value: decision.changeProbability, deviation: null };
  return `${wordProbability(stated)}${ruleOf(decision, suspicionLimits)}`;
}

type Limits = Readonly<Record<string, string>>;

/** ` (fake from 0.83)`, or nothing where the limits are not known by these names. */
function ruleOf({ thresholds }: NonNullable<AnalysisRecord['decision']>, words: Limits): string {
  const limits = Object.entries(thresholds).flatMap(([name, value]) => {
    const word = words[name];
    return word === undefined ? [] : [`${word} ${value.toFixed(2)}`];
  });
  return limits.length > 0 ? ` (${limits.join(', ')})` : '';
}

const traceLimits: Limits = {
  fakeMin: 'fake from',
  realMax: 'real up to',
};
const changeLimits: Limits = { manipulatedMin: 'fake from' };
const suspicionLimits: Limits = { ...changeLimits, suspectedMin: 'not real from' };

function declaredInsteadOf({ evidence }: AnalysisRecord): string {
  const told = 'not stated: the traces did not decide';
  const byTraces = evidence?.byTraces ?? null;
  return byTraces === null ? told : `${told}; alone they lead to “${byTraces.resultClass}”`;
}

/** The error that this verdict would be, how often it was made when the model was measured. */
function errorRateOf(record: AnalysisRecord): string {
  const { verdict, decision } = record;
  if (verdict !== 'real' && verdict !== 'fake') return '';
  if (isDeclared(record)) return 'none can be measured for what a file says of itself';
  if (decision === null) return '';
  const { rate } = createNumberWriter('en');
  if (isChanged(record)) {
    const rates = decision.changeErrorRates;
    if (!rates) return unmeasured;
    return `when measured, ${rate(rates.photographsCalled)} of ${rates.photographs} photographs were called manipulated`;
  }
  const rates = decision.errorRates;
  if (!rates) return unmeasured;
  return verdict === 'real'
    ? `when measured, ${rate(rates.fakeCalledReal)} of ${rates.fake} generated pictures were called real`
    : `when measured, ${rate(rates.realCalledFake)} of ${rates.real} photographs were called fake`;
}

const unmeasured = 'never measured for this model; do not rely on the verdict alone';

function forensicRows({ result, evidence }: AnalysisRecord): readonly Row[] {
  const { predictions, classUncertainties, classSimilarities, anomaly } = result!;
  const scores = (['real', 'fake', 'compression'] as const).map(
    (name) => `${name} ${predictions![name].toFixed(2)} ± ${classUncertainties![name].toFixed(2)}`,
  );
  const likeness = classSimilarities!;
  return [
    ...(evidence === null ? [] : evidenceRows(evidence)),
    ['Traces', scores.join(', ')],
    [
      'Similarity',
      `compressed real ${likeness.realCompressed.toFixed(2)}, compressed fake ${likeness.fakeCompressed.toFixed(2)}`,
    ],
    ...rowIf('Anomaly', anomalyOf(anomaly)),
  ];
}

function anomalyOf(anomaly: NonNullable<AnalysisRecord['result']>['anomaly']): string {
  if (anomaly?.score == null) return '';
  const clusters = anomaly.numCluster === 1 ? '1 cluster' : `${anomaly.numCluster ?? 0} clusters`;
  return `score ${anomaly.score.toFixed(2)}, ${clusters}, Gini ${(anomaly.giniCoeff ?? 0).toFixed(2)}`;
}

/** All files of a picture lie in one folder. */
function writtenOf({ files }: AnalysisRecord): string {
  const names = files.map((file) => basename(file)).join(', ');
  return files.length === 0 ? '' : `${printable(dirname(files[0]!))}: ${names}`;
}

function pictureOf({ picture }: AnalysisRecord): string {
  const { format, width, height, sizeBytes } = picture!;
  const size = `${format}, ${width} x ${height} px`;
  return sizeBytes === null ? size : `${size}, ${Math.max(1, Math.round(sizeBytes / 1000))} kB`;
}

/** One sentence a note; the table shows the same. */
export function noteSentence(note: PictureNote, { picture }: AnalysisRecord): string {
  if (note !== 'extension_disagrees') return noteWords[note];
  return `the content is ${picture!.format}, the file name says otherwise`;
}

function rowIf(label: string, text: string): readonly Row[] {
  return text === '' ? [] : [[label, text]];
}

const verdictSentences: Readonly<Record<ResultClass, string>> = {
  real: 'Its traces speak for a real photograph.',
  fake: 'Its traces speak for a synthetic or manipulated picture.',
  uncertain: 'The evidence does not suffice to call it real or fake.',
  abstain: 'It lies outside what the method was validated for, so nothing is decided.',
};

/** In place of the verdict's sentence where a declaration decided. */
const declaredSentence = 'The file declares itself to be generated or altered by AI.';

/** The same where a part that was changed decided. */
const changedSentence = 'Its traces speak for a change in a part of the picture.';

/** What findings speak for. */
const sideLabels: Readonly<Record<Side, string>> = {
  fake: 'For fake',
  real: 'For real',
  neither: 'Neither',
};

/** Of findings, beside the side they speak for. */
const strengthWords: Readonly<Record<Strength, string>> = {
  none: 'none',
  weak: 'weak',
  moderate: 'moderate',
  moderatelyStrong: 'moderately strong',
  strong: 'strong',
  veryStrong: 'very strong',
};

const subClassWords: Readonly<Record<ResultSubClass, string>> = {
  'ai-generated': 'generated by AI',
  'ai-manipulated': 'manipulated with AI',
  manipulated: 'manipulated',
};

const noteWords: Readonly<Record<PictureNote, string>> = {
  converted_from_cmyk: 'converted from CMYK',
  converted_from_grey: 'converted from grey',
  reduced_from_16_bit: 'reduced from 16 to 8 bits a sample',
  transparency_flattened_on_white: 'transparency flattened on white',
  first_frame_of_animation: 'only the first frame of the animation was examined',
  rotated_by_exif: 'rotated as its EXIF orientation says',
  extension_disagrees: 'the file name says another format than the content',
};

type RecordEvidence = NonNullable<AnalysisRecord['evidence']>;

/** Of one side; `--json` and the report have all of them. */
const maxFindings = 3;

function strengthRows({ evidence, verdict }: AnalysisRecord): readonly Row[] {
  if (evidence === null || (verdict !== 'real' && verdict !== 'fake')) return [];
  const { statement, ratio, cap } = evidence;
  const isUnfounded = ratio === null && cap !== null;
  return [['Strength', isUnfounded ? `${statement.en} ${cap.statement.en}` : statement.en]];
}

function evidenceRows({ findings, stability, notChecked }: RecordEvidence): readonly Row[] {
  return [
    ...sideRows(findings, 'fake'),
    ...sideRows(findings, 'real'),
    ...sideRows(findings, 'neither'),
    ...(stability === null ? [] : [['Stability', stability.statement.en] as const]),
    [
      'Unchecked',
      `${notChecked.length} things that may matter, such as invisible watermarks (SynthID); the report and --json name each`,
    ],
  ];
}

function sideRows(findings: readonly RankedFinding[], side: Side): readonly Row[] {
  const some = findings.filter(({ speaksFor }) => speaksFor === side);
  const shown = some.slice(0, maxFindings).map(({ strength, statement }) => {
    return side === 'neither' ? statement.en : `${strengthWords[strength]}: ${statement.en}`;
  });
  const more = some.length - shown.length;
  return listRows(sideLabels[side], more > 0 ? [...shown, `and ${more} more`] : shown);
}

/** Null for every other verdict, and where a server does not send it. */
export function basisOfFake({ verdict, decision, evidence }: AnalysisRecord): DecisionBasis | null {
  if (verdict !== 'fake') return null;
  return (decision ?? evidence)?.basis ?? null;
}

interface StatedProbability {
  /** Of a fake, 0..1. */
  readonly value: number;
  /** Its standard deviation; null where none was measured. */
  readonly deviation: number | null;
}

/**
 * The probability of a fake where it means something: not for an abstention, which lies outside what was validated, and
 * not where the file itself declared what it is. Where a changed part decided, it is the probability of a change. A server
 * tells none.
 */
export function statedProbability(record: AnalysisRecord): StatedProbability | null {
  const { verdict, decision } = record;
  const basis = basisOfFake(record);
  if (decision === null || verdict === 'abstain' || basis === 'declaration') return null;
  const { fakeProbability, fakeUncertainty, changeProbability } = decision;
  if (basis !== 'localisation') return { value: fakeProbability, deviation: fakeUncertainty };
  return changeProbability === null ? null : { value: changeProbability, deviation: null };
}

/** `0.93 ± 0.02`; without a deviation `0.93`, and `above 0.99` for what would be rounded to certainty. */
export function wordProbability({ value, deviation }: StatedProbability): string {
  return deviation === null
    ? createNumberWriter('en').score(value)
    : `${value.toFixed(2)} ± ${deviation.toFixed(2)}`;
}
