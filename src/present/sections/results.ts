/** All measured values, with ranges and re-saved trials; then procedure, models, settings and versions. */

import { clearlyOther, type Decision, type ModelIdentity } from '../../detectors/result.ts';
import { placeOf } from '../../detectors/regions.ts';
import { trialOutcome } from '../evidence.ts';
import { methodNameIn, writeNotes } from '../findings.ts';
import { leadsToAbstain } from '../report-texts.ts';
import { type Figure, writeFigures } from '../presentation.ts';
import { kept, nameIn, printable } from '../text.ts';
import { isNeverCalled, isSuspicion, markedPlaces, type Outcome, readFigures } from '../result.ts';
import {
  type Block,
  grid,
  heading,
  note,
  only,
  paragraph,
  plainGrid,
  type Row,
  row,
  type SectionInput,
} from './blocks.ts';
import { isShown, methodName, referenceNumbers } from './findings.ts';

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
  const names = methods.map((method) => methodNameIn(catalogue.findings, method));
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
  const { outcomes } = catalogue.findings.stability;
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

function writeRegions(input: SectionInput): readonly string[] {
  const { examination, catalogue, labels, numbers } = input;
  const places = markedPlaces(examination);
  const { findings: words } = catalogue;
  return places.map(({ region, methods }, at) => {
    const { left, top, width, height, share } = region;
    const place = words.places[placeOf(region, examination.facts)];
    const box = `${numbers.count(width)} × ${numbers.count(height)} ${labels.pixels}`;
    const corner = `x ${numbers.count(left)}, y ${numbers.count(top)}`;
    const by = methods.map((method) => methodNameIn(words, method));
    const told = [`${place}; ${words.writeShare(share)}; ${box}, ${corner}`, by.join(', ')];
    return `${at + 1}: ${told.filter(Boolean).join('; ')}`;
  });
}

/** Only models with a vision transformer have this file. */
const transformerFile = 'transformer.onnx';
/** Models that also read views of the whole picture, which examinations do not record. */
const modelsWithViews: ReadonlySet<string> = new Set(['trace-2', 'trace-3']);

export function methodBlocks(input: SectionInput): readonly Block[] {
  const { examination, numbers, catalogue, labels } = input;
  const { model, locator, maps, patchesRead, passes } = examination;
  const { fake, anomaly } = catalogue.measurements.heatmap.changes;
  const { method: words } = catalogue.measurements;
  const steps = words.steps({
    model: wordModel(model),
    cell: `${numbers.count(maps.cellPx)} × ${numbers.count(maps.cellPx)}`,
    patches: numbers.count(patchesRead),
    passes: numbers.count(passes),
  });
  return [
    paragraph(steps),
    ...only(modelsWithViews.has(model.id), paragraph(words.views)),
    ...only(transformerFile in model.files, paragraph(words.transformer)),
    ...(locator ? [paragraph(words.changes(wordModel(locator)))] : []),
    ...only(examination.manipulation !== null, {
      kind: 'list',
      items: [`${labels.maps.fake}: ${fake}`, `${labels.maps.anomaly}: ${anomaly}`],
    }),
    { kind: 'table', rows: methodRows(input) },
    ...sourceBlocks(input),
  ];
}

function sourceBlocks(input: SectionInput): readonly Block[] {
  const { evidence, catalogue, item } = input;
  // Methods that are based on a reference cite its number instead.
  const own = evidence.findings.filter(
    ({ method }) => referenceNumbers(method).length === 0 && isShown(method, item),
  );
  const rows = own.map(({ method, source }) => ({
    label: methodName(input, method),
    value: nameIn(catalogue.findings.sources, source, printable(source, 400)),
  }));
  const title = heading(catalogue.measurements.method.sourcesTitle);
  return only(rows.length > 0, title, plainGrid(rows));
}

function methodRows(input: SectionInput): readonly Row[] {
  const { examination, item, labels, catalogue, numbers, language } = input;
  const { rows } = labels;
  const { model, locator, options, passes, patchesRead, environment, facts } = examination;
  const {
    conversions,
    noConversions,
    retriesUnknown,
    locator: second,
  } = catalogue.measurements.method;
  const retries = item.retries === undefined ? retriesUnknown : numbers.count(item.retries);
  const machine = Object.entries(environment).map(
    ([name, value]) =>
      `${nameIn(labels.environment, name, printable(name, 40))} ${printable(value)}`,
  );
  const modelRows = (label: string, given: ModelIdentity, nameOf: (file: string) => string) => [
    { label, value: wordModel(given) },
    ...Object.entries(given.files).map(([name, digest]) => ({
      label: labels.modelFile(printable(nameOf(name), 60)),
      value: printable(digest),
    })),
  ];
  return [
    ...modelRows(rows.model, model, (name) => name),
    // Both models have a manifest.json.
    ...(locator ? modelRows(second, locator, (name) => `${locator.id}/${name}`) : []),
    { label: rows.strategy, value: catalogue.verdict.strategies[options.decisionStrategy] },
    thresholdRow(input),
    // Without digit groups, so that it can be typed in as it is.
    { label: rows.seed, value: String(options.seed) },
    { label: rows.passes, value: numbers.count(passes) },
    { label: rows.patches, value: numbers.count(patchesRead) },
    { label: conversions, value: writeNotes(facts, language).join('; ') || noConversions },
    { label: rows.retries, value: retries },
    { label: rows.environment, value: machine.join('; ') },
  ];
}

function thresholdRow({ examination, labels, numbers, language, result }: SectionInput): Row {
  const { generated, changed } = writeFigures(result, language);
  // Rounded as on the first page.
  const shown: Readonly<Record<string, string | undefined>> = {
    realMax: generated?.limits?.[0],
    fakeMin: generated?.limits?.[1],
    suspectedMin: changed?.limits?.[0],
    manipulatedMin: changed?.limits?.[1],
  };
  const limits = Object.entries(examination.decision.thresholds).map(([name, value]) => {
    const limit = shown[name] ?? numbers.score(value);
    return `${limit} ${nameIn(labels.thresholds, name, printable(name, 40))}`;
  });
  return { label: labels.rows.thresholds, value: limits.join('\n') };
}

function wordModel({ id, version }: ModelIdentity): string {
  return `${printable(id)} ${printable(version)}`;
}
