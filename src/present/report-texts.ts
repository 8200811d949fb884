/**
 * Puts an examination into words for the contract's `report`: what the evidence supports and what it does not, but never
 * that a picture "is" fake. All languages get the same figures, rounded in the same way.
 */

import type { Evidence } from '../contract/evidence.ts';
import { formatNames } from '../contract/formats.ts';
import type { Language } from '../contract/vocabulary.ts';
import { type AreaPlace, placeOf } from '../detectors/regions.ts';
import type { CellMaps, Decision, Examination, MapName } from '../engine/result.ts';
import { writeEvidence } from './evidence.ts';
import { createNumberWriter, type NumberWriter } from './numbers.ts';
import { type Presentation, present, writeGroundInFull, writeReliance } from './presentation.ts';
import { nameIn, printable } from './printable.ts';
import type { ReportItem, ReportTexts } from './report-item.ts';
import { isAboutPart, readResult, type Result } from './result.ts';
import { type ReportWords, reportWordsIn } from './wording/report-words.ts';

/** The input to every text in a report. */
export interface Writing {
  readonly examination: Examination;
  readonly evidence: Evidence;
  readonly result: Result;
  readonly presentation: Presentation;
  readonly item: ReportItem;
  readonly language: Language;
  readonly catalogue: ReportWords;
  readonly numbers: NumberWriter;
}

export function openWriting(
  examination: Examination,
  item: ReportItem,
  language: Language,
): Writing {
  const result = readResult(examination);
  return {
    examination,
    evidence: writeEvidence(examination),
    result,
    presentation: present(result, language),
    item,
    language,
    catalogue: reportWordsIn(language),
    numbers: createNumberWriter(language),
  };
}

/** Paragraphs are separated by an empty line. The text contains names taken from the file, made printable, and no markup. */
export function writeTexts(
  examination: Examination,
  item: ReportItem,
  language: Language,
): ReportTexts {
  const writing = openWriting(examination, item, language);
  return {
    summary: writeSummary(writing),
    forensic: writeForensic(writing),
    heatmapIntro: writeIntro(writing),
    heatmap: {
      real: writeMap(writing, 'real'),
      fake: writeMap(writing, 'fake'),
      compressed: writeMap(writing, 'compression'),
      anomaly: writeMap(writing, 'anomaly'),
    },
    conclusion: writeConclusion(writing),
  };
}

/** The answer as on the first page of a report, and how strongly the evidence supports it. */
function writeSummary({ evidence, result, presentation, language }: Writing): string {
  const { manipulation, statement } = evidence;
  return sentences([
    `${presentation.headline}.`,
    printable(writeGroundInFull(result, language), groundLimit),
    ...(manipulation !== null && isAboutPart(result) ? [manipulation.statement[language]] : []),
    ...(result.outcome === 'abstain' ? [] : [statement[language]]),
  ]);
}

/** How far to rely on the result, and what to do next. The seed chooses among sentences with the same meaning. */
function writeConclusion({ examination, result, presentation, catalogue }: Writing): string {
  const { duty } = catalogue.verdict.conclusion;
  const { next, further } = presentation;
  return sentences([
    writeReliance(result, catalogue),
    next,
    ...further,
    duty[Math.abs(examination.options.seed) % duty.length]!,
  ]);
}

/** Longest reason and longest file name in a text, in characters; the report's table has room for more. */
const groundLimit = 1200;
const nameLimit = 80;

/** What was examined and how, the strength of the evidence, the findings, and why nothing was decided. */
function writeForensic(writing: Writing): string {
  const { evidence, language, examination, catalogue } = writing;
  const isOutside = leadsToAbstain(examination.decision);
  return [
    writeItem(writing),
    sentences([
      writeMethod(writing),
      ...(isOutside ? [catalogue.measurements.results.outside] : []),
    ]),
    evidence.statement[language],
    ...writeSupport(writing),
    ...writeFindings(writing),
    ...evidence.reasons.map(({ statement }) => statement[language]),
  ].join('\n\n');
}

/** Why the support is no stronger, and whether it is stable. */
export function writeSupport({ evidence, language }: Writing): readonly string[] {
  const told = [evidence.cap, evidence.stability].filter((one) => one !== null);
  return told.map(({ statement }) => statement[language]);
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

function writeIntro({
  examination,
  item,
  catalogue: {
    measurements: { heatmap },
  },
  numbers,
}: Writing): string {
  const { what, scale, cells, caution } = heatmap.intro;
  const measured = cells(numbers.count(examination.maps.cellPx));
  const isStored = item.heatmapOrientation === 'stored';
  return [
    what,
    sentences([scale, measured]),
    caution,
    ...(isStored ? [heatmap.asStored] : []),
  ].join('\n\n');
}

/** The description of a map, followed by the effect of changed parts, which the report explains only here. */
function writeMap(writing: Writing, name: MapName): string {
  const { examination, catalogue } = writing;
  const { changes } = catalogue.measurements.heatmap;
  const added = examination.manipulation === null ? '' : nameIn(changes, name, '');
  return sentences([describeMap(writing, name), ...(added === '' ? [] : [added])]);
}

/** What a heatmap means, its figures, and what must not be read into it. */
export function describeMap(
  { examination, catalogue, numbers }: Pick<Writing, 'examination' | 'catalogue' | 'numbers'>,
  name: MapName,
): string {
  const { heatmap } = catalogue.measurements;
  const { meaning, caution } = heatmap.map[name];
  const reading = readMap(examination.maps, name);
  const mean = numbers.score(reading.mean);
  const figures = reading.isEven
    ? heatmap.even(mean)
    : heatmap.peak({
        mean,
        highest: numbers.score(reading.highest),
        place: catalogue.findings.places[reading.place],
        share: numbers.percent(reading.shareAboveHalf),
      });
  return sentences([meaning, figures, caution]);
}

interface MapReading {
  /** Mean and greatest value over all cells, 0..1. */
  readonly mean: number;
  readonly highest: number;
  /** Where the greatest value is; the first in reading order if several are equal. */
  readonly place: AreaPlace;
  /** Share of cells above the middle of the scale, 0..1. */
  readonly shareAboveHalf: number;
  /** True if no region stands out: the whole map is within a tenth of the scale. */
  readonly isEven: boolean;
}

export function readMap({ values, columns, rows }: CellMaps, name: MapName): MapReading {
  const cells = values[name];
  let sum = 0;
  let above = 0;
  let at = 0;
  let lowest = 65535;
  for (let i = 0; i < cells.length; i++) {
    const value = cells[i]!;
    sum += value;
    if (value > 32767) above++;
    if (value > cells[at]!) at = i;
    if (value < lowest) lowest = value;
  }
  const [left, top] = [(at % columns) + 0.5, Math.floor(at / columns) + 0.5];
  return {
    mean: sum / cells.length / 65535,
    highest: cells[at]! / 65535,
    place: placeOf({ left, top, width: 0, height: 0, share: 0 }, { width: columns, height: rows }),
    shareAboveHalf: above / cells.length,
    isEven: cells[at]! - lowest < 6554,
  };
}

function sentences(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}
