/** One picture's result and everything it rests on, for a person to read: `--details`. */

import { basename, dirname } from 'node:path';
import {
  type Language,
  resultClasses,
  resultSubClasses,
  type Side,
} from '../../contract/vocabulary.ts';
import type { PictureNote } from '../../image/picture.ts';
import { suspectsChange } from '../../present/evidence.ts';
import type { WordedFinding } from '../../present/findings.ts';
import { createNumberWriter } from '../../present/numbers.ts';
import { writeOrigin } from '../../present/origin.ts';
import { capitalised, nameIn } from '../../present/printable.ts';
import { type Words, wordsIn } from '../../present/wording/catalogue.ts';
import { layCard, listRows, type Row } from '../output/layout.ts';
import { printable } from '../output/terminal.ts';
import { errorRateOf, titleOf } from './card.ts';
import { outcomeOf, statedChange, statedGeneration, wordProbability } from './outcome.ts';
import type { AnalysisRecord } from './record.ts';

/** @param columns - width to wrap at. */
export function detailsOf(record: AnalysisRecord, language: Language, columns: number): string {
  return layCard(titleOf(record, language), rowsOf(record, language), columns);
}

function rowsOf(record: AnalysisRecord, language: Language): readonly Row[] {
  const { terminal, verdict } = wordsIn(language);
  const { labels, ...words } = terminal.details;
  const { result, model, options, reasons } = record;
  const kinds = result!.resultSubClasses.map((n) => words.kinds[resultSubClasses[n]!]);
  return [
    [labels.class, words.class(resultClasses[result!.resultClass]!)],
    ...strengthRows(record, language),
    ...rowIf(labels.generated, generationOf(record, language)),
    ...rowIf(labels.changed, changeProbabilityOf(record, language)),
    ...rowIf(labels.kind, kinds.join(', ')),
    ...rowIf(labels.change, changeOf(record, language)),
    ...rowIf(terminal.card.labels.wrong, errorRateOf(record, language)),
    ...listRows(
      labels.because,
      reasons.map((reason) => verdict.reasons[reason].what),
    ),
    ...listRows(
      labels.helpful,
      reasons.map((reason) => verdict.reasons[reason].help),
    ),
    ...originRows(record, language),
    ...(result!.predictions ? forensicRows(record, language) : []),
    [labels.picture, pictureOf(record, words)],
    ...listRows(
      labels.note,
      (record.picture!.notes ?? []).map((note) => noteOf(note, record, words)),
    ),
    [
      labels.model,
      words.model(`${model!.id} ${model!.version}`, options!.decisionStrategy, record.seed),
    ],
    ...rowIf('SHA-256', record.sha256 ?? ''),
    ...rowIf(labels.analysis, record.analysisId ?? ''),
    ...rowIf(labels.written, writtenOf(record)),
  ];
}

function strengthRows({ evidence, verdict }: AnalysisRecord, language: Language): readonly Row[] {
  if (evidence === null || (verdict !== 'real' && verdict !== 'fake')) return [];
  const { statement, ratio, cap } = evidence;
  const isUnfounded = ratio === null && cap !== null;
  const told = isUnfounded ? ` ${cap.statement[language]}` : '';
  const { strength } = wordsIn(language).terminal.details.labels;
  return [[strength, `${statement[language]}${told}`]];
}

type DetailWords = Words['terminal']['details'];

/** An abstention has a number behind it too, but not one that means anything: it is not shown. Servers do not send it. */
function generationOf(record: AnalysisRecord, language: Language): string {
  const { notStated, limits } = wordsIn(language).terminal.details;
  const outcome = outcomeOf(record);
  const stated = statedGeneration(record);
  if (outcome === 'abstain') return notStated.abstain;
  if (outcome === 'declared') {
    const byTraces = record.evidence?.byTraces ?? null;
    return `${notStated.declared}${byTraces === null ? '' : notStated.byTraces(byTraces.resultClass)}`;
  }
  if (stated === null) return '';
  const rule = ruleOf(record, limits, ['fakeMin', 'realMax'], language);
  return `${wordProbability(stated, language)}${outcome === 'changed' ? '' : rule}`;
}

function changeProbabilityOf(record: AnalysisRecord, language: Language): string {
  const { limits } = wordsIn(language).terminal.details;
  const stated = statedChange(record);
  if (stated === null) return '';
  const rule = ruleOf(record, limits, ['manipulatedMin', 'suspectedMin'], language);
  return `${wordProbability(stated, language)}${rule}`;
}

/** ` (signs from 0.83)`, or nothing where the limits are not known by these names. */
function ruleOf(
  { decision }: AnalysisRecord,
  words: DetailWords['limits'],
  names: readonly string[],
  language: Language,
): string {
  const { fixed } = createNumberWriter(language);
  const limits = names.flatMap((name) => {
    const value = decision?.thresholds[name];
    return value === undefined ? [] : [`${words[name]} ${fixed(value, 2)}`];
  });
  return limits.length > 0 ? ` (${limits.join(', ')})` : '';
}

/** Where a change is part of the result. A server of an earlier version does not report changes. */
function changeOf(record: AnalysisRecord, language: Language): string {
  const { result, reasons, evidence } = record;
  const kinds = result!.resultSubClasses.map((n) => resultSubClasses[n]);
  const isDeclared = outcomeOf(record) === 'declared';
  const isNamed = !isDeclared && kinds.some((kind) => kind !== 'ai-generated');
  if (!isNamed && !suspectsChange({ reasons })) return '';
  return evidence?.manipulation?.statement[language] ?? '';
}

/** What the file says of itself, each signed action and each step of its history on a line. */
function originRows({ provenance }: AnalysisRecord, language: Language): readonly Row[] {
  if (provenance === null) return [];
  const { terminal, provenance: words } = wordsIn(language);
  const { card, details } = terminal;
  const phrases = writeOrigin(provenance, language).map((text) => capitalised(printable(text)));
  const steps = provenance.history.map(({ action, software, when, parameters }) =>
    printable(
      [nameIn(words.historyActions, action, action), software, when?.slice(0, 10), parameters]
        .filter(Boolean)
        .join(', '),
    ),
  );
  const signed = (provenance.credentials?.actions ?? []).map(
    ({ action, software, when, digitalSourceType }) =>
      printable(
        [action, software, when?.slice(0, 10), digitalSourceType?.replace(/^.*\//, '')]
          .filter(Boolean)
          .join(', '),
      ),
  );
  return [
    ...listRows(card.labels.file, phrases),
    ...listRows(details.labels.credentials, signed),
    ...listRows(details.labels.history, steps),
  ];
}

function forensicRows({ result, evidence }: AnalysisRecord, language: Language): readonly Row[] {
  const { labels, ...words } = wordsIn(language).terminal.details;
  const { fixed } = createNumberWriter(language);
  const { predictions, classUncertainties, classSimilarities, anomaly } = result!;
  const scores = (['real', 'fake', 'compression'] as const).map((name) => {
    const [score, spread] = [predictions![name], classUncertainties![name]];
    return `${words.scores[name]} ${fixed(score, 2)} ± ${fixed(spread, 2)}`;
  });
  const { realCompressed, fakeCompressed } = classSimilarities!;
  return [
    ...(evidence === null ? [] : evidenceRows(evidence, language)),
    [labels.traces, scores.join('; ')],
    [labels.similarity, words.similarity(fixed(realCompressed, 2), fixed(fakeCompressed, 2))],
    ...(anomaly?.score == null
      ? []
      : listRows(labels.anomaly, [
          words.anomaly(
            fixed(anomaly.score, 2),
            anomaly.numCluster ?? 0,
            fixed(anomaly.giniCoeff ?? 0, 2),
          ),
        ])),
  ];
}

type RecordEvidence = NonNullable<AnalysisRecord['evidence']>;

function evidenceRows(
  { findings, stability, notChecked }: RecordEvidence,
  language: Language,
): readonly Row[] {
  const { labels, unchecked } = wordsIn(language).terminal.details;
  return [
    ...sideRows(findings, 'fake', language),
    ...sideRows(findings, 'real', language),
    ...sideRows(findings, 'neither', language),
    ...(stability === null ? [] : [[labels.stability, stability.statement[language]] as const]),
    [labels.unchecked, unchecked(String(notChecked.length))],
  ];
}

/** Of one side; `--json` and the report have all of them. */
const maxFindings = 3;

function sideRows(
  findings: readonly WordedFinding[],
  side: Side,
  language: Language,
): readonly Row[] {
  const { sides, strengths, more } = wordsIn(language).terminal.details;
  const some = findings.filter(({ speaksFor }) => speaksFor === side);
  const shown = some.slice(0, maxFindings).map(({ strength, statement }) => {
    return side === 'neither'
      ? statement[language]
      : `${strengths[strength]}: ${statement[language]}`;
  });
  const left = some.length - shown.length;
  return listRows(sides[side], left > 0 ? [...shown, more(left)] : shown);
}

function pictureOf({ picture }: AnalysisRecord, words: Pick<DetailWords, 'picture'>): string {
  const { format, width, height, sizeBytes } = picture!;
  const size = words.picture(format, width, height);
  return sizeBytes === null ? size : `${size}, ${Math.max(1, Math.round(sizeBytes / 1000))} kB`;
}

function noteOf(
  note: PictureNote,
  { picture }: AnalysisRecord,
  { notes }: Pick<DetailWords, 'notes'>,
): string {
  return note === 'extension_disagrees' ? notes[note](picture!.format) : notes[note];
}

/** All files of a picture lie in one folder. */
function writtenOf({ files }: AnalysisRecord): string {
  const names = files.map((file) => basename(file)).join(', ');
  return files.length === 0 ? '' : `${printable(dirname(files[0]!))}: ${names}`;
}

function rowIf(label: string, text: string): readonly Row[] {
  return text === '' ? [] : [[label, text]];
}
