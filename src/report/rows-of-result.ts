/** The rows of a report that tell what was measured and with what. */

import { resultClasses, resultSubClasses } from '../engine/result.ts';
import { writeTime } from './numbers.ts';
import { printable } from './printable.ts';
import type { Row, TableInput } from './sections.ts';

export function resultRows({ examination, labels, phrases, numbers }: TableInput): readonly Row[] {
  const { decision, predictions, classUncertainties, classSimilarities, anomaly } = examination;
  const { rows } = labels;
  const measured = (label: string, value: number, deviation: number): Row => ({
    label,
    value: numbers.withDeviation(value, deviation),
    bar: value,
  });
  const subClasses = decision.resultSubClasses.map(
    (name) => `${name} (${resultSubClasses.indexOf(name)})`,
  );
  return [
    {
      label: rows.resultClass,
      value: `${decision.resultClass} (${resultClasses.indexOf(decision.resultClass)})`,
    },
    ...row(
      decision.resultClass === 'fake',
      rows.resultSubClasses,
      subClasses.join(', ') || labels.none,
    ),
    ...row(
      decision.reasons.length > 0,
      rows.reasons,
      decision.reasons.map((reason) => phrases.reasons[reason].short).join('; '),
    ),
    {
      ...measured(rows.probability, decision.fakeProbability, decision.fakeUncertainty),
      marks: [decision.thresholds['realMax'], decision.thresholds['fakeMin']].filter(
        (mark) => mark !== undefined,
      ),
    },
    measured(rows.tracesReal, predictions.real, classUncertainties.real),
    measured(rows.tracesFake, predictions.fake, classUncertainties.fake),
    measured(rows.tracesCompression, predictions.compression, classUncertainties.compression),
    {
      ...optional(rows.anomalyScore, anomaly.score, numbers.exact),
      ...(anomaly.score === null ? {} : { bar: anomaly.score }),
    },
    optional(rows.anomalyClusters, anomaly.numCluster, numbers.count),
    optional(rows.anomalyGini, anomaly.giniCoeff, numbers.exact),
    { label: rows.similarityReal, value: numbers.exact(classSimilarities.realCompressed) },
    { label: rows.similarityFake, value: numbers.exact(classSimilarities.fakeCompressed) },
  ];
}

export function methodRows({
  examination,
  item,
  labels,
  phrases,
  numbers,
}: TableInput): readonly Row[] {
  const { rows } = labels;
  const { model, options, passes, patchesRead, maps, decision, environment } = examination;
  return [
    { label: rows.model, value: `${printable(model.id)} ${printable(model.version)}` },
    ...Object.entries(model.files).map(([name, digest]) => ({
      label: labels.modelFile(printable(name, 40)),
      value: printable(digest),
    })),
    { label: rows.strategy, value: phrases.strategies[options.decisionStrategy] },
    ...Object.entries(decision.thresholds).map(([name, value]) => ({
      label: labels.threshold(labels.thresholds[name] ?? printable(name, 40)),
      value: numbers.plain(value),
    })),
    // A seed is an identifier to be typed in again, so it stands without groups.
    { label: rows.seed, value: String(options.seed) },
    { label: rows.passes, value: numbers.count(passes) },
    { label: rows.patches, value: numbers.count(patchesRead) },
    { label: rows.cell, value: `${maps.cellPx} × ${maps.cellPx} ${labels.pixels}` },
    { label: rows.examinedAt, value: writeTime(item.examinedAt) },
    ...Object.entries(environment).map(([name, value]) => ({
      label: labels.environment[name] ?? printable(name, 40),
      value: printable(value),
    })),
  ];
}

/** A row that stands only where it says something. */
export function row(isShown: boolean, label: string, value: string): readonly Row[] {
  return isShown ? [{ label, value }] : [];
}

/** What could not be determined is said to be missing, not left out. */
function optional(label: string, value: number | null, write: (value: number) => string): Row {
  return { label, value: write(value ?? Number.NaN) };
}
