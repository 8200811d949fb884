/**
 * Puts an examination into words, using templates: what the evidence supports and what it does not,
 * but never that a picture "is" fake. All languages get the same figures, rounded in the same way.
 */

import type { Language } from '../contract/vocabulary.ts';
import { type AreaPlace, placeOf } from '../detectors/regions.ts';
import type { CellMaps, Examination, MapName } from '../engine/result.ts';
import { openWriting, sentences, writeForensic, type Writing } from './forensic-text.ts';
import { namesChange, suspectsChange } from './evidence.ts';
import { bestDeclaration } from './origin.ts';
import { nameIn, printable } from './printable.ts';
import type { ReportItem, ReportTexts } from './report-item.ts';
import { writeBecause } from './presentation.ts';
import { decideOutcome, placesOf, readMarked } from './result.ts';
import type { Words } from './wording/catalogue.ts';

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

function writeSummary(writing: Writing): string {
  const { examination, evidence, catalogue, language, vary } = writing;
  const { decision } = examination;
  const { summary } = catalogue.verdict;
  const { resultClass } = decision;
  // The sentence about the marked places already names them.
  const stated = {
    areas: [],
    marked: readMarked(placesOf(examination.manipulation)),
    provenance: null,
    hasGeneratorSize: false,
  };
  if (resultClass === 'abstain' || resultClass === 'uncertain') {
    return sentences([
      vary(summary[resultClass], 'undecided'),
      ...decision.reasons.map((reason) => writeBecause(reason, stated, catalogue)),
      ...writeBearing(writing),
    ]);
  }
  if (evidence.basis === 'declaration') {
    return sentences([...writeDeclared(writing), evidence.statement[language]]);
  }
  const { manipulation, basis } = evidence;
  const isChanged = namesChange(decision) && manipulation !== null;
  return sentences([
    writeSide(writing, resultClass),
    ...(resultClass === 'fake' ? writeKinds(examination, catalogue) : []),
    ...(isChanged ? [manipulation.statement[language]] : []),
    ...(basis === 'traces' ? [writeProbability(writing)] : []),
  ]);
}

/** What an open result says about the picture: nothing, unless a change is suspected. */
function writeBearing({ examination, evidence, catalogue, language, vary }: Writing) {
  const { summary } = catalogue.verdict;
  const { manipulation } = evidence;
  if (manipulation === null || !suspectsChange(examination.decision))
    return [vary(summary.neutral, 'neutral')];
  return [manipulation.statement[language], summary.suspected];
}

function writeProbability({ examination, catalogue, numbers, vary }: Writing): string {
  const { fakeProbability, fakeUncertainty } = examination.decision;
  return vary(catalogue.verdict.summary.probability, 'probability')(
    numbers.score(fakeProbability),
    numbers.score(fakeUncertainty),
  );
}

function writeSide(writing: Writing, resultClass: 'real' | 'fake'): string {
  const { evidence, catalogue, vary } = writing;
  const { decided, pointing, sides } = catalogue.verdict.summary;
  const isOfPart = evidence.basis === 'localisation';
  const side = resultClass === 'fake' && isOfPart ? 'changed' : resultClass;
  const { strength } = evidence;
  if (strength === 'none') return vary(pointing, 'pointing')(sides[side]);
  const { adverbs, sides: weighed } = catalogue.strength;
  return vary(decided, 'decided')(adverbs[strength], weighed[side]);
}

function writeDeclared({ evidence, catalogue, vary }: Writing): readonly string[] {
  const declaration = bestDeclaration(evidence.provenance);
  if (declaration === null) return [];
  const { origin, generator } = declaration;
  const { declared, generator: named } = catalogue.verdict.summary;
  return [
    vary(declared, 'declared')(catalogue.provenance.origins[origin]),
    ...(generator === null ? [] : [named(printable(generator, 80))]),
  ];
}

function writeKinds({ decision }: Examination, { verdict: { summary } }: Words): readonly string[] {
  if (decision.resultSubClasses.length === 0) return [summary.kindUnknown];
  return decision.resultSubClasses.map((kind) => summary.kinds[kind]);
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

function writeConclusion({ examination, evidence, catalogue, vary }: Writing): string {
  const { resultClass, reasons } = examination.decision;
  const { conclusion } = catalogue.verdict;
  const helps = reasons.map((reason) => catalogue.verdict.reasons[reason].help);
  const isSuspected = suspectsChange(examination.decision);
  const outcome = isSuspected ? 'suspected' : decideOutcome(resultClass, evidence.basis);
  return sentences([
    conclusion[outcome],
    ...(helps.length === 0 ? [] : [`${conclusion.help} ${helps.join('; ')}.`]),
    vary(conclusion.duty, 'duty'),
  ]);
}
