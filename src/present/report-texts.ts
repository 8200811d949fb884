/**
 * Puts an examination into words for the contract's `report`: what the evidence supports and what it does not, but never
 * that a picture "is" fake. All languages get the same figures, rounded in the same way.
 */

import { formatNames, type Language } from '../contract/vocabulary.ts';
import { placeOf } from '../detectors/regions.ts';
import type { CellMaps, Decision, Examination, MapName } from '../engine/result.ts';
import { writeEvidence } from './evidence.ts';
import { createNumberWriter } from './wording/catalogue.ts';
import { present, writeGroundInFull, writeReliance } from './presentation.ts';
import { kept, nameIn, printable } from './text.ts';
import type { ReportItem, ReportTexts } from './report-item.ts';
import { isAboutPart, readResult } from './result.ts';
import { reportWordsIn } from './wording/report-words.ts';

export type Writing = Readonly<ReturnType<typeof openWriting>>;

export function openWriting(examination: Examination, item: ReportItem, language: Language) {
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
    printable(writeGroundInFull(result, language)),
    manipulation && isAboutPart(result) && manipulation.statement[language],
    result.outcome !== 'abstain' && statement[language],
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
const nameLimit = 80;

/** What was examined and how, the strength of the evidence, the findings, and why nothing was decided. */
function writeForensic(writing: Writing): string {
  const { evidence, language, examination, catalogue } = writing;
  const isOutside = leadsToAbstain(examination.decision);
  return [
    writeItem(writing),
    sentences([writeMethod(writing), isOutside && catalogue.measurements.results.outside]),
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
  const { findings: found, skipped: without } = catalogue.measurements.forensic;
  return kept([
    statements.length > 0 && sentences([found, ...statements]),
    methods.length > 0 && without(methods.join(', ')),
  ]);
}

function writeIntro({ examination, item, catalogue, numbers }: Writing): string {
  const { intro, asStored } = catalogue.measurements.heatmap;
  const measured = intro.cells(numbers.count(examination.maps.cellPx));
  const isStored = item.heatmapOrientation === 'stored';
  return kept([intro.what, `${intro.scale} ${measured}`, intro.caution, isStored && asStored]).join(
    '\n\n',
  );
}

/** The description of a map, followed by the effect of changed parts, which the report explains only here. */
function writeMap(writing: Writing, name: MapName): string {
  const { examination, catalogue } = writing;
  const { changes } = catalogue.measurements.heatmap;
  const added = examination.manipulation === null ? '' : nameIn(changes, name, '');
  return sentences([describeMap(writing, name), added]);
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

export function readMap({ values, columns, rows }: CellMaps, name: MapName) {
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
    /** Mean and greatest value over all cells, 0..1. */
    mean: sum / cells.length / 65535,
    highest: cells[at]! / 65535,
    /** Where the greatest value is; the first in reading order if several are equal. */
    place: placeOf({ left, top, width: 0, height: 0, share: 0 }, { width: columns, height: rows }),
    /** Share of cells above the middle of the scale, 0..1. */
    shareAboveHalf: above / cells.length,
    /** Whether no region stands out: the whole map is within a tenth of the scale. */
    isEven: cells[at]! - lowest < 6554,
  };
}

function sentences(parts: Parameters<typeof kept>[0]): string {
  return kept(parts).join(' ');
}
