/** One picture in at most eight lines of a terminal: what was found, why, how often that is wrong, what to do now. */

import { basename } from 'node:path';
import wrapAnsi from 'wrap-ansi';
import type { Language, ReasonCode } from '../../contract/vocabulary.ts';
import { areaOf } from '../../detectors/regions.ts';
import { writeErrorRate } from '../../present/error-rate.ts';
import { createNumberWriter } from '../../present/numbers.ts';
import { looksLikeCameraFile, writeOrigin } from '../../present/origin.ts';
import { capitalised } from '../../present/printable.ts';
import { wordsIn } from '../../present/wording/catalogue.ts';
import { cardWidth, layCard, type Row } from '../output/layout.ts';
import { paint, printable } from '../output/terminal.ts';
import {
  mainReason,
  type Outcome,
  outcomeOf,
  outcomeStyles,
  type Stated,
  statedChange,
  statedGeneration,
  wordProbability,
} from './outcome.ts';
import type { AnalysisRecord } from './record.ts';
import { middleOf } from './table.ts';

const maxLines = 8;

/** @param columns - width to wrap at; below 80 our own sentences may take more lines. */
export function cardOf(record: AnalysisRecord, language: Language, columns: number): string {
  const { labels } = wordsIn(language).terminal.card;
  const width = cardWidth(columns);
  const lines = (text: string, across = width) =>
    text === '' ? 0 : wrapAnsi(text, across).split('\n').length;
  const title = titleOf(record, language, columns);
  const reason = [becauseOf(record, language), figuresOf(record, language)];
  const wrong = shortErrorRateOf(record, language);
  const next = nextStepOf(record, language);
  const report = reportOf(record, language);
  const used = [...reason, wrong, next, report].reduce(
    (sum, text) => sum + lines(text),
    lines(title, columns),
  );
  const file = cutToLines(originOf(record, language), width, Math.max(1, maxLines - used));
  const rows: readonly Row[] = [
    [labels.because, reason[0]!],
    ['', reason[1]!],
    [labels.wrong, wrong],
    [labels.file, file],
    [labels.next, next],
    [labels.more, report],
  ];
  return layCard(
    title,
    rows.filter(([, text]) => text !== ''),
    columns,
  );
}

/** The words of the report's first page. @param columns - what a long path is shortened to. */
export function titleOf(
  record: AnalysisRecord,
  language: Language,
  columns = Number.POSITIVE_INFINITY,
): string {
  const { headlines, headlineChanged, headlineDeclared } = wordsIn(language).labels;
  const outcome = outcomeOf(record)!;
  const headline = { ...headlines, changed: headlineChanged, declared: headlineDeclared }[outcome];
  const file = middleOf(printable(record.file), Math.max(20, columns - headline.length - 2));
  return `${file}: ${paint(process.stdout)(outcomeStyles[outcome], headline)}`;
}

function becauseOf(record: AnalysisRecord, language: Language): string {
  const { because } = wordsIn(language).terminal;
  const outcome = outcomeOf(record)!;
  const reason = mainReason(record);
  if (outcome === 'changed') return because.changed(placeOf(record, language));
  if (outcome === 'declared') return declaredBy(record, language);
  if (outcome === 'real' || outcome === 'fake') return because[outcome];
  if (reason === 'manipulation_suspected') return because.suspected(placeOf(record, language));
  return reason === null ? '' : because[reason];
}

/** ` (on the right, 12 % of the picture)`, or nothing where no region is known. */
function placeOf({ decision, evidence, picture }: AnalysisRecord, language: Language): string {
  const { findings, terminal } = wordsIn(language);
  const region = decision?.changedRegion ?? evidence?.manipulation?.region ?? null;
  if (region === null || picture === null) return '';
  const { place, share } = areaOf(region, picture);
  return terminal.because.where(findings.places[place], findings.writeShare(share));
}

function declaredBy(record: AnalysisRecord, language: Language): string {
  const { because, places } = wordsIn(language).terminal;
  const declared = declarationOf(record);
  if (declared === undefined) return '';
  const { place, generator } = declared;
  return because.declared(places[place], generator === null ? '' : `: ${printable(generator)}`);
}

/** The one that is vouched for best: they stand in that order. */
function declarationOf({ provenance }: AnalysisRecord) {
  return provenance?.declarations.find(({ origin }) => origin !== 'captured');
}

function figuresOf(record: AnalysisRecord, language: Language): string {
  const { card } = wordsIn(language).terminal;
  const { fixed } = createNumberWriter(language);
  const limits = limitsOf(record);
  const withLimit = (stated: Stated, names: readonly string[]) => {
    const [low, high] = names.flatMap((name) => {
      const limit = record.decision?.thresholds[name];
      return limit === undefined ? [] : [fixed(limit, 2)];
    });
    const shown =
      low === undefined ? '' : high === undefined ? card.limit(low) : card.open(low, high);
    // How far it scatters is for the details.
    return `${wordProbability({ ...stated, deviation: null }, language)}${shown}`;
  };
  const generated = statedGeneration(record);
  const changed = statedChange(record);
  return [
    ...(generated === null ? [] : [card.generated(withLimit(generated, limits.generated))]),
    ...(changed === null ? [] : [card.changed(withLimit(changed, limits.changed))]),
  ].join(', ');
}

/** Of the limits that the details give, the ones that this result turned on: two where it lies between them. */
function limitsOf(
  record: AnalysisRecord,
): Readonly<Record<'generated' | 'changed', readonly string[]>> {
  const { fakeProbability = 0, thresholds = {} } = record.decision ?? {};
  const isReal = fakeProbability <= (thresholds['realMax'] ?? 0);
  const isFake = fakeProbability >= (thresholds['fakeMin'] ?? 1);
  const isSuspected = record.reasons.includes('manipulation_suspected');
  switch (outcomeOf(record)) {
    case 'real':
      return { generated: ['realMax'], changed: ['suspectedMin'] };
    case 'fake':
      return { generated: ['fakeMin'], changed: [] };
    case 'changed':
      return { generated: [], changed: ['manipulatedMin'] };
    case 'uncertain':
      return {
        generated: isReal ? ['realMax'] : isFake ? ['fakeMin'] : ['realMax', 'fakeMin'],
        changed: isSuspected ? ['manipulatedMin'] : [],
      };
    case 'declared':
    case 'abstain':
    case null:
      break;
  }
  return { generated: [], changed: [] };
}

/** How often this very result was wrong when the models were measured. Nothing where nothing was decided. */
export function errorRateOf(record: AnalysisRecord, language: Language): string {
  const { wrong } = wordsIn(language).terminal;
  const { outcome, rates, calls } = measuredOf(record);
  if (outcome === 'declared') return wrong[declaredKey(record)];
  if (outcome !== 'real' && outcome !== 'fake' && outcome !== 'changed') return '';
  // A server sends the sentence, but none of its figures.
  if (record.decision === null) return record.evidence?.errorRate?.[language] ?? '';
  return writeErrorRate(outcome, { rates, calls }, language);
}

/** The same in one line. */
function shortErrorRateOf(record: AnalysisRecord, language: Language): string {
  const { wrong } = wordsIn(language).terminal.card;
  const { rate, count } = createNumberWriter(language);
  const { outcome, rates, calls } = measuredOf(record);
  if (outcome === 'real' && rates !== null && calls !== null) {
    return wrong.real(rate(rates.fakeCalledReal), rate(1 - calls.changedCalled));
  }
  if (outcome === 'changed' && calls !== null) {
    return wrong.changed(rate(calls.photographsCalled), count(calls.photographs));
  }
  return errorRateOf(record, language);
}

function measuredOf(record: AnalysisRecord) {
  const { errorRates: rates = null, changeErrorRates: calls = null } = record.decision ?? {};
  return { outcome: outcomeOf(record), rates, calls };
}

function declaredKey(record: AnalysisRecord): 'vouched' | 'declared' {
  return declarationOf(record)?.assurance === 'trusted' ? 'vouched' : 'declared';
}

function originOf({ provenance }: AnalysisRecord, language: Language): string {
  if (provenance === null) return '';
  return `${capitalised(printable(writeOrigin(provenance, language).join('; ')))}.`;
}

/** Foreign names may be long: what does not fit ends in an ellipsis. */
function cutToLines(text: string, width: number, count: number): string {
  const lines = wrapAnsi(text, width, { hard: true }).split('\n');
  if (lines.length <= count) return text;
  const last = Array.from(lines[count - 1]!).slice(0, width - 1);
  return [...lines.slice(0, count - 1), `${last.join('').trimEnd()}…`].join(' ');
}

/** What helps elsewhere, an earlier or larger copy, makes no sense where this is the camera's own file. */
const askForOriginal: ReadonlySet<Outcome | ReasonCode> = new Set([
  'fake',
  'too_small',
  'too_compressed',
  'no_usable_trace',
  'margin_within_uncertainty',
  'unstable_under_resaving',
  'manipulation_suspected',
]);

function nextStepOf(record: AnalysisRecord, language: Language): string {
  const { next } = wordsIn(language).terminal;
  const { provenance, files, analysisId } = record;
  const outcome = outcomeOf(record)!;
  if (outcome === 'changed') return files.length > 0 ? next.changed : next.draw;
  const { integrity, trust } = provenance?.credentials ?? {};
  const isSignerOpen = integrity === 'valid' && trust === 'not-checked' && analysisId === null;
  if (isSignerOpen && outcome !== 'fake') return next.signer;
  if (outcome === 'declared') return next[declaredKey(record)];
  const key = outcome === 'uncertain' || outcome === 'abstain' ? mainReason(record) : outcome;
  if (key === null) return '';
  const isOriginal = provenance !== null && looksLikeCameraFile(provenance);
  return isOriginal && askForOriginal.has(key) ? next.compare : next[key];
}

/** The report where one was written, else what was written, else how to get it. */
function reportOf({ files, analysisId }: AnalysisRecord, language: Language): string {
  const { card } = wordsIn(language).terminal;
  const path =
    files.find((file) => basename(file) === `report-${language}.pdf`) ??
    files.find((file) => file.endsWith('.pdf')) ??
    files[0];
  if (path !== undefined) return card.hint(printable(path));
  return analysisId === null ? card.more : card.onServer(analysisId);
}
