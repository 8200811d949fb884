/** One picture in at most eight lines of a terminal: what was found, why, how often that is wrong, what to do now. */

import { basename } from 'node:path';
import wrapAnsi from 'wrap-ansi';
import type { Language } from '../../contract/vocabulary.ts';
import { present, type Presentation } from '../../present/presentation.ts';
import type { Result } from '../../present/result.ts';
import { type Words, wordsIn } from '../../present/wording/catalogue.ts';
import { cardWidth, layCard, type Row } from '../output/layout.ts';
import { paint, printable } from '../output/terminal.ts';
import { type AnalysisRecord, resultIn } from './record.ts';
import { shortenMiddle, outcomeStyles } from './table.ts';

const maxLines = 8;

/**
 * Empty for a record without a result.
 *
 * @param columns - width to wrap at; below 80 our own sentences may take more lines.
 */
export function writeCard(record: AnalysisRecord, language: Language, columns: number): string {
  const result = resultIn(record);
  if (result === null) return '';
  const presentation = present(result, language);
  const { card } = wordsIn(language).terminal;
  const title = writeTitle(record, presentation, columns);
  const rows: readonly Row[] = [
    [card.labels.because, printable(presentation.because)],
    ['', writeFigures(presentation, result, card)],
    [card.labels.wrong, presentation.errorRateBriefly],
    [card.labels.file, printable(presentation.origin)],
    [card.labels.next, presentation.next],
    [card.labels.more, writeReport(record, language)],
  ];
  return layCard(title, withShortOrigin(rows, title, columns), columns);
}

function writeTitle(
  { file }: AnalysisRecord,
  { outcome, headline }: Presentation,
  columns: number,
): string {
  const name = shortenMiddle(printable(file), Math.max(20, columns - headline.length - 2));
  return `${name}: ${paint(process.stdout)(outcomeStyles[outcome], headline)}`;
}

/** Each probability, and the limits that this result turned on: between them nothing is decided. */
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

/** The report where one was written, else what was written, else how to get it. */
function writeReport({ files, analysisId }: AnalysisRecord, language: Language): string {
  const { card } = wordsIn(language).terminal;
  const path =
    files.find((file) => basename(file) === `report-${language}.pdf`) ??
    files.find((file) => file.endsWith('.pdf')) ??
    files[0];
  if (path !== undefined) return printable(path);
  return analysisId === null ? card.more : card.onServer(analysisId);
}

/** Without empty rows. Foreign names may be long: what the other rows leave no room for ends in an ellipsis. */
function withShortOrigin(rows: readonly Row[], title: string, columns: number): readonly Row[] {
  const origin = 3;
  const width = cardWidth(columns);
  const used = rows
    .filter(([, text], at) => at !== origin && text !== '')
    .reduce((sum, [, text]) => sum + countLines(text, width), countLines(title, columns));
  return rows
    .map(([label, text], at): Row => {
      return [label, at === origin ? cutToLines(text, width, Math.max(1, maxLines - used)) : text];
    })
    .filter(([, text]) => text !== '');
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
