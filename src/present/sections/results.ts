/** All measured values with their ranges, and how they change when the picture is saved or scaled again. */

import type { Decision } from '../../engine/result.ts';
import { placeOf } from '../../detectors/regions.ts';
import { clearlyOther } from '../../engine/stability.ts';
import { trialOutcome } from '../evidence.ts';
import { leadsToAbstain } from '../report-texts.ts';
import { type Figure, writeFigures } from '../presentation.ts';
import { kept, nameIn, printable } from '../printable.ts';
import { isNeverCalled, isSuspicion, markedPlaces, type Outcome, readFigures } from '../result.ts';
import {
  type Block,
  grid,
  heading,
  note,
  only,
  paragraph,
  type Row,
  row,
  type SectionInput,
} from './blocks.ts';

export function resultBlocks(input: SectionInput): readonly Block[] {
  const { examination, labels, catalogue } = input;
  const { results } = catalogue.measurements;
  const isOutside = leadsToAbstain(examination.decision);
  return [
    { kind: 'table', rows: [...decisionRows(input), ...measuredRows(input), ...changeRows(input)] },
    ...only(!isOutside, note([labels.deviation, ...catalogue.limits.limits.figures].join(' '))),
    ...only(isOutside, note(results.outside)),
    heading(results.stabilityTitle),
    ...stabilityBlocks(input),
  ];
}

function decisionRows({ examination, labels, catalogue, result }: SectionInput): readonly Row[] {
  const { byTraces, reasons, basis } = examination.decision;
  const { rows } = labels;
  const { results } = catalogue.terminal.table;
  const write = (outcome: Outcome, why: Decision['reasons']) =>
    kept([results[outcome], why.map((one) => catalogue.outcome.short[one]).join('; ')]).join(': ');
  return [
    { label: rows.resultClass, value: write(result.outcome, reasons) },
    ...row(
      byTraces !== undefined && basis !== 'traces',
      rows.byTraces,
      write(byTraces?.resultClass ?? 'uncertain', byTraces?.reasons ?? []),
    ),
  ];
}

/** Empty outside the validated range, because readers would rely on the values in spite of a caveat. */
function measuredRows(input: SectionInput): readonly Row[] {
  const { examination, labels, numbers, catalogue, result, language } = input;
  const { decision, predictions, classUncertainties, anomaly } = examination;
  const { rows } = labels;
  if (leadsToAbstain(decision)) return [];
  const { realMax, fakeMin } = decision.thresholds;
  const measured = (label: string, value: number, deviation: number): Row => {
    // Two standard deviations on each side, limited to the range of a score.
    const low = Math.max(0, value - 2 * deviation);
    const high = Math.min(1, value + 2 * deviation);
    const written = `${numbers.withDeviation(value, deviation)} (${numbers.range(low, high)})`;
    return { label, value: written, bar: value, range: [low, high] };
  };
  const { generated } = writeFigures(result, language);
  const { limits } = catalogue.measurements.results;
  return [
    {
      ...measured(rows.probability, decision.fakeProbability, decision.fakeUncertainty),
      // Rounded as everywhere else in the report.
      value: withLimits(`${generated?.value} ± ${generated?.deviation}`, generated, limits),
      marks: [realMax, fakeMin].filter((mark) => mark !== undefined),
    },
    measured(rows.tracesReal, predictions.real, classUncertainties.real),
    measured(rows.tracesFake, predictions.fake, classUncertainties.fake),
    measured(rows.tracesCompression, predictions.compression, classUncertainties.compression),
    {
      ...optional(rows.anomalyScore, anomaly.score, numbers.exact),
      ...(anomaly.score !== null && { bar: anomaly.score }),
    },
    optional(rows.anomalyClusters, anomaly.numCluster, numbers.count),
    optional(rows.anomalyGini, anomaly.giniCoeff, numbers.exact),
  ];
}

/** The combined result of the methods that look for changes; empty without a result that has a tested meaning. */
function changeRows(input: SectionInput): readonly Row[] {
  const { examination, labels, catalogue, result, language } = input;
  const { changed } = readFigures(examination);
  if (changed === null) return [];
  const methods = examination.manipulation?.methods ?? [];
  const { rows } = labels;
  const { suspectedMin, manipulatedMin } = examination.decision.thresholds;
  const figure = writeFigures(result, language).changed;
  const told = figure?.value ?? '';
  const { changeLimits, suspectedLimit } = catalogue.measurements.results;
  const names = methods.map((method) =>
    nameIn(catalogue.findings.methods, method, printable(method, 60)),
  );
  const { byOne, noRegion } = catalogue.document.head;
  const isByOne = isSuspicion(result) && figure?.limits === null;
  const compared = withLimits(told, figure, isNeverCalled(result) ? suspectedLimit : changeLimits);
  return [
    {
      label: rows.changeProbability,
      value: isByOne ? `${told}; ${byOne}` : compared,
      bar: changed,
      marks: [suspectedMin, manipulatedMin].filter((mark) => mark !== undefined),
    },
    { label: rows.changeRegion, value: writeRegions(input).join('\n') || noRegion },
    { label: rows.changeMethods, value: names.join(', ') || labels.none },
  ];
}

function withLimits(
  told: string,
  figure: Figure | null,
  write: (told: string, low: string, high: string) => string,
): string {
  return figure?.limits ? write(told, ...figure.limits) : told;
}

/** A row that says so if the value could not be determined. */
function optional(label: string, value: number | null, write: (value: number) => string): Row {
  return { label, value: write(value ?? Number.NaN) };
}

function stabilityBlocks(input: SectionInput): readonly Block[] {
  const { evidence, examination, language, numbers, catalogue } = input;
  const { stability } = evidence;
  const { stabilityMissing, stabilityColumns, stabilityOther } = catalogue.measurements.results;
  const { outcomes } = catalogue.strength.stability;
  if (stability === null) return [paragraph(stabilityMissing)];
  const rows = stability.trials.map((trial) => ({
    cells: [
      trial.label[language],
      numbers.score(trial.fakeProbability),
      outcomes[trialOutcome(trial, examination.decision)],
    ],
  }));
  return [
    grid(stabilityColumns, [0.36, 0.38, 0.26], rows),
    ...only(
      stability.trials.some(({ isFlip }) => isFlip),
      note(stabilityOther(numbers.score(clearlyOther))),
    ),
  ];
}

/** One line for each marked place. */
function writeRegions(input: SectionInput): readonly string[] {
  const { examination, catalogue, labels, numbers } = input;
  const places = markedPlaces(examination);
  const { findings: words } = catalogue;
  return places.map(({ region, methods }, at) => {
    const { left, top, width, height, share } = region;
    const place = words.places[placeOf(region, examination.facts)];
    const box = `${numbers.count(width)} × ${numbers.count(height)} ${labels.pixels}`;
    const corner = `x ${numbers.count(left)}, y ${numbers.count(top)}`;
    const by = methods.map((method) => nameIn(words.methods, method, printable(method, 60)));
    const told = [`${place}; ${words.writeShare(share)}; ${box}, ${corner}`, by.join(', ')];
    return `${at + 1}: ${told.filter(Boolean).join('; ')}`;
  });
}
