/**
 * Shows the outcome of a run to people. One picture gets a card of at most eight lines: what was found, why, how often
 * that is wrong, and what to do next. The card is longer if findings call for a step, or if something in the file is
 * odd, needs explaining or could not be read. Several pictures get a table with as many columns as fit the terminal.
 */

import { basename } from 'node:path';
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';
import { withoutUndefined } from '../../contract/common.ts';
import type { Language } from '../../contract/vocabulary.ts';
import { writeFailure } from '../../present/failures.ts';
import {
  isCopy,
  writeNextSteps,
  writeNotes,
  writeOther,
  writeSeenBefore,
} from '../../present/findings.ts';
import { present, type Presentation } from '../../present/presentation.ts';
import { capitalised, kept } from '../../present/text.ts';
import type { Outcome, Result } from '../../present/result.ts';
import { createNumberWriter, type Words, wordsIn } from '../../present/wording/catalogue.ts';
import {
  cardWidth,
  type Cells,
  gap,
  layCard,
  layRow,
  listTable,
  type Row,
} from '../output/layout.ts';
import { paint, printable, type Style } from '../output/terminal.ts';
import { type AnalysisRecord, resultIn } from './record.ts';

const maxLines = 8;
const maxRemarkLines = 3;

/** Empty for a record without a result. @param columns - width to wrap at; below 80, more lines may be needed. */
export function writeCard(record: AnalysisRecord, language: Language, columns: number): string {
  const result = resultIn(record);
  if (result === null) return '';
  const presentation = present(result, language);
  const { card } = wordsIn(language).terminal;
  const { outcome, headline } = presentation;
  const name = shortenMiddle(printable(record.file), Math.max(20, columns - headline.length - 2));
  const title = `${name}: ${paint(process.stdout)(outcomeStyles[outcome], headline)}`;
  const { verdict, evidence } = record;
  // As in the report: without a verdict on the picture, none of its findings has a tested meaning.
  const steps = verdict === 'abstain' ? [] : writeNextSteps(evidence?.findings ?? [], language);
  const rows: readonly Row[] = [
    [card.labels.because, printable(presentation.because)],
    ['', writeFigures(presentation, result, card)],
    [card.labels.wrong, presentation.errorRateBriefly],
    [card.labels.file, printable(presentation.origin)],
    [card.labels.next, presentation.next],
    ...steps.map((step) => ['', step] as const),
    [card.labels.more, writeReport(record, language)],
  ];
  const remarks = [writeRemarks(record, language), printable(presentation.warnings)]
    .join(' ')
    .trim();
  const below: readonly Row[] = [
    [card.labels.unread, cutToLines(remarks, cardWidth(columns), maxRemarkLines)],
    ...writeSeenBefore(record.seenBefore ?? [], language).flatMap(({ label, lines }) =>
      lines.map((line, at) => [at === 0 ? label : '', printable(line)] as const),
    ),
  ];
  const shown = [...withShortOrigin(rows, title, columns), ...below];
  return layCard(
    title,
    shown.filter(([, text]) => text !== ''),
    columns,
  );
}

/** Oddities in the file and conversions of its pixels; empty if a server examined the picture. */
function writeRemarks({ picture }: AnalysisRecord, language: Language): string {
  // Rotation is left out because every phone rotates its pictures.
  const notes = picture?.notes?.filter((note) => note !== 'rotated_by_exif') ?? [];
  if (notes.length === 0) return '';
  const facts = { notes, ...withoutUndefined({ soundShare: picture?.soundShare }) };
  return `${capitalised(writeNotes(facts, language).join('; '))}.`;
}

/** Each probability, with the two thresholds that this result depended on. Between them, nothing is decided. */
function writeFigures(
  { outcome, generated, changed }: Presentation,
  { reasons }: Result,
  words: Words['terminal']['card'],
): string {
  const write = ({ value, limits }: NonNullable<typeof changed>, isShown: boolean) =>
    isShown && limits !== null ? `${value}${words.open(...limits)}` : value;
  const isChange = outcome === 'changed' || reasons.includes('manipulation_suspected');
  return [
    ...(generated === null ? [] : [words.generated(write(generated, outcome !== 'changed'))]),
    ...(changed === null ? [] : [words.changed(write(changed, isChange))]),
  ].join(', ');
}

function writeReport({ files, analysisId }: AnalysisRecord, language: Language): string {
  const { card } = wordsIn(language).terminal;
  const path =
    files.find((file) => basename(file) === `report-${language}.pdf`) ??
    files.find((file) => file.endsWith('.pdf')) ??
    files[0];
  if (path !== undefined) return printable(path);
  return analysisId === null ? card.more : card.onServer(analysisId);
}

/** A long name from outside is shortened with an ellipsis to fit beside the other rows. */
function withShortOrigin(rows: readonly Row[], title: string, columns: number): readonly Row[] {
  const origin = 3;
  const width = cardWidth(columns);
  const used = rows
    .filter(([, text], at) => at !== origin && text !== '')
    .reduce((sum, [, text]) => sum + countLines(text, width), countLines(title, columns));
  const [label, name] = rows[origin]!;
  return rows.with(origin, [label, cutToLines(name, width, Math.max(1, maxLines - used))]);
}

function countLines(text: string, width: number): number {
  return wrapAnsi(text, width).split('\n').length;
}

function cutToLines(text: string, width: number, count: number): string {
  const lines = wrapAnsi(text, width, { hard: true }).split('\n');
  if (lines.length <= count) return text;
  const last = Array.from(lines[count - 1]!).slice(0, width - 1);
  return [...lines.slice(0, count - 1), `${last.join('').trimEnd()}…`].join(' ');
}

/** The few short texts that are kept in memory for each picture until the end of a run. */
export interface TableRow {
  readonly file: string;
  /** `started`: a picture that was only handed to a server and has no result yet. */
  readonly end: Outcome | 'failed' | 'started';
  readonly generated: string;
  readonly changed: string;
  readonly reason: string;
}

export function toTableRow(record: AnalysisRecord, language: Language): TableRow {
  const { error, analysisId } = record;
  const result = resultIn(record);
  const nothing = { file: printable(record.file), generated: '-', changed: '-' };
  if (error !== null) {
    return { ...nothing, end: 'failed', reason: printable(writeFailure(error, language)) };
  }
  if (result === null) return { ...nothing, end: 'started', reason: analysisId ?? '' };
  const { outcome, generated, changed, short } = present(result, language);
  return {
    file: nothing.file,
    end: outcome,
    generated: generated?.value ?? '-',
    changed: changed?.value ?? '-',
    reason: kept([short, ...writeCopies(record, language)]).join('; '),
  };
}

/** The picture of the run that it is a copy of, and the first one from outside. */
function writeCopies({ copyOf, seenBefore = [] }: AnalysisRecord, language: Language) {
  const { seen, table } = wordsIn(language).terminal;
  const [first, ...others] = seenBefore.filter(isCopy);
  const kind = copyOf?.isSameFile ? 'same' : copyOf?.isMirrored ? 'mirrored' : 'copy';
  return kept([
    copyOf && table.copies[kind](printable(copyOf.file)),
    first && `${seen.label.toLowerCase()}: ${printable(writeOther(first, language))}`,
    others.length > 0 && seen.more(others.length),
  ]);
}

/** @param columns - the terminal's width; infinite for a file or a pipe. */
export function writeTable(rows: readonly TableRow[], language: Language, columns: number): string {
  const { results, head, ...words } = wordsIn(language).terminal.table;
  const headCells = [head.file, head.result, head.generated, head.changed, words.reason];
  const cells = rows.map(({ end, ...row }) => {
    return [row.file, results[end], row.generated, row.changed, row.reason];
  });
  const widths = fitWidths([headCells, ...cells], columns);
  // If the terminal is too narrow for columns, each picture takes several lines.
  if (widths === null) {
    const nameWidth = columns - gap - Math.max(...headCells.map((text) => stringWidth(text)));
    const short = cells.map(([file = '', ...rest]) => [shortenMiddle(file, nameWidth), ...rest]);
    return `${listTable(headCells, short, columns)}\n`;
  }
  const colour = paint(process.stdout);
  const lines = cells.map(([file = '', result = '', ...rest], at) => {
    const style = styles[rows[at]!.end];
    const shown = style === undefined ? result : colour(style, result);
    return layRow([shortenMiddle(file, widths[0]!), shown, ...rest], widths);
  });
  // Laid out by hand, because table packages take minutes for 100,000 rows.
  return [layRow(headCells, widths), ...lines].map((line) => `${line}\n`).join('');
}

const outcomeStyles: Readonly<Record<Outcome, Style>> = {
  real: ['bold', 'green'],
  fake: ['bold', 'red'],
  changed: ['bold', 'red'],
  declared: ['bold', 'red'],
  uncertain: ['bold', 'yellow'],
  abstain: ['bold', 'cyan'],
};

const styles: Readonly<Record<string, Style>> = { ...outcomeStyles, failed: 'magenta' };

/** Minimum width for names and reasons together. */
const minFree = 34;

/** Names get the width they need, up to half of the free columns; reasons get what is left. */
function fitWidths(rows: readonly Cells[], columns: number): readonly number[] | null {
  const longest = (at: number) =>
    rows.reduce((most, row) => Math.max(most, stringWidth(row[at] ?? '')), 0);
  const [names, reasons] = [longest(0), longest(4)];
  const middle = [longest(1), longest(2), longest(3)];
  const free = columns - middle.reduce((sum, width) => sum + width + gap, 0) - gap;
  if (free < minFree - gap) return null;
  const nameWidth = Math.min(names, Math.max(Math.floor(free / 2), free - reasons));
  return [nameWidth, ...middle, Math.min(reasons, free - nameWidth)];
}

/** A long name is easier to identify by both ends (the folder and the picture's number) than by its beginning alone. */
function shortenMiddle(name: string, width: number): string {
  if (stringWidth(name) <= width) return name;
  const characters = Array.from(name);
  const tail = cutTo(characters.toReversed(), Math.ceil((width - 1) * 0.6)).toReversed();
  const front = cutTo(characters, width - 1 - stringWidth(tail.join('')));
  return `${front.join('')}…${tail.join('')}`;
}

function cutTo(characters: readonly string[], width: number): readonly string[] {
  let cells = 0;
  const end = characters.findIndex((character) => (cells += stringWidth(character)) > width);
  return end === -1 ? characters : characters.slice(0, end);
}

// The line that shows how far a run with several pictures is.

export interface ProgressState {
  /** Null until they have been counted. */
  total: number | null;
  done: number;
  failed: number;
}

/** `[====      ] 10/40, 1 failed, 2.1 a second, about 20 s left` */
export function progressText(
  { total, done, failed }: Readonly<ProgressState>,
  elapsedMs: number,
  language: Language,
): string {
  const { progress } = wordsIn(language).terminal;
  if (total === 1) return progress.one;
  const failedText = failed > 0 ? `, ${progress.failed(failed)}` : '';
  if (total === null) return `${progress.examined(done)}${failedText}`;
  const rate = done > 0 && elapsedMs >= 2000 ? `, ${speedText(done, elapsedMs, language)}` : '';
  const left = timeLeft(done / total, elapsedMs, language);
  const leftText = left === '' ? '' : `, ${progress.left(left)}`;
  // Files may have been added since they were counted.
  const filled = Math.min(barCells, Math.floor((done / total) * barCells));
  const bar = '='.repeat(filled).padEnd(barCells);
  return `[${bar}] ${done}/${total}${failedText}${rate}${leftText}`;
}

const barCells = 20;

/** A rough estimate such as `12 min`; empty at the beginning, and below 10 s. */
function timeLeft(shareDone: number, elapsedMs: number, language: Language): string {
  if (shareDone === 0 || elapsedMs < 5000) return '';
  const seconds = ((elapsedMs / 1000) * (1 - shareDone)) / shareDone;
  if (seconds < 10) return '';
  if (seconds < 90) return `${Math.round(seconds / 10) * 10} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  return `${createNumberWriter(language).fixed(minutes / 60, 1)} h`;
}

const rateUnits = [
  [1, 'second'],
  [60, 'minute'],
  [3600, 'hour'],
] as const;

/** Uses the shortest unit in which the speed is at least 0.1: `2.1 a second`. */
export function speedText(done: number, elapsedMs: number, language: Language): string {
  const perSecond = (done * 1000) / Math.max(elapsedMs, 1);
  const [seconds, unit] = rateUnits.find(([each]) => perSecond * each >= 0.1) ?? rateUnits[2];
  const { fixed } = createNumberWriter(language);
  return `${fixed(perSecond * seconds, 1)} ${wordsIn(language).terminal.summary.rates[unit]}`;
}
