/** What was measured, with ranges: figures, and whether they hold when the picture is saved or scaled again. */

import { resultClasses, resultSubClasses } from '../../contract/vocabulary.ts';
import { placeOf, type Region } from '../../detectors/regions.ts';
import type { Decision } from '../../engine/result.ts';
import { nameIn, printable } from '../printable.ts';
import {
  type Block,
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
  return [
    { kind: 'table', rows: [...decisionRows(input), ...changeRows(input), ...measuredRows(input)] },
    note(labels.deviation),
    ...only(leadToAbstain(examination.decision), note(catalogue.measurements.results.outside)),
    heading(catalogue.measurements.results.stabilityTitle),
    ...stabilityBlocks(input),
  ];
}

function leadToAbstain({ byTraces, resultClass }: Decision): boolean {
  return (byTraces?.resultClass ?? resultClass) === 'abstain';
}

function decisionRows({ examination, labels, catalogue }: SectionInput): readonly Row[] {
  const { resultSubClasses: kinds, byTraces, ...decision } = examination.decision;
  const { rows } = labels;
  const shortsOf = (reasons: Decision['reasons']) =>
    reasons.map((reason) => catalogue.verdict.reasons[reason].short).join('; ');
  const subClasses = kinds.map((kind) => `${kind} (${resultSubClasses.indexOf(kind)})`);
  return [
    { label: rows.resultClass, value: numbered(decision) },
    ...row(
      decision.resultClass === 'fake',
      rows.resultSubClasses,
      subClasses.join(', ') || labels.none,
    ),
    ...row(decision.reasons.length > 0, rows.reasons, shortsOf(decision.reasons)),
    ...(byTraces === undefined
      ? []
      : [
          {
            label: rows.byTraces,
            value: [numbered(byTraces), shortsOf(byTraces.reasons)].filter(Boolean).join(': '),
          },
        ]),
  ];
}

/** The word and the number of the interface. */
function numbered({ resultClass }: Pick<Decision, 'resultClass'>): string {
  return `${resultClass} (${resultClasses.indexOf(resultClass)})`;
}

function measuredRows({ examination, labels, numbers }: SectionInput): readonly Row[] {
  const { decision, predictions, classUncertainties, classSimilarities, anomaly } = examination;
  const { rows } = labels;
  const { realMax, fakeMin } = decision.thresholds;
  const measured = (label: string, value: number, deviation: number): Row => {
    const range = rangeOf(value, deviation);
    const written = `${numbers.withDeviation(value, deviation)} (${numbers.range(...range)})`;
    return { label, value: written, bar: value, range };
  };
  return [
    {
      ...measured(rows.probability, decision.fakeProbability, decision.fakeUncertainty),
      marks: [realMax, fakeMin].filter((mark) => mark !== undefined),
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

/** The combined result of the methods that look for changed parts; nothing for an examination of an earlier version. */
function changeRows({ examination, labels, numbers, catalogue }: SectionInput): readonly Row[] {
  const { manipulation, decision, facts } = examination;
  if (manipulation === null) return [];
  const { probability, region, methods } = manipulation;
  const { rows } = labels;
  const { suspectedMin, manipulatedMin } = decision.thresholds;
  const { findings: words } = catalogue;
  const names = methods.map((method) => nameIn(words.methods, method, printable(method, 60)));
  return [
    {
      label: rows.changeProbability,
      value: numbers.exact(probability),
      bar: probability,
      marks: [suspectedMin, manipulatedMin].filter((mark) => mark !== undefined),
    },
    { label: rows.changeRegion, value: region === null ? labels.none : wordRegion(region) },
    { label: rows.changeMethods, value: names.join(', ') || labels.none },
  ];

  function wordRegion({ left, top, width, height, share }: Region): string {
    const place = words.places[placeOf({ left, top, width, height, share }, facts)];
    const box = `${numbers.count(width)} × ${numbers.count(height)} ${labels.pixels}`;
    const corner = `x ${numbers.count(left)}, y ${numbers.count(top)}`;
    return `${place}; ${words.writeShare(share)}; ${box}, ${corner}`;
  }
}

/** Two standard deviations to each side, cut to what a score can be. */
function rangeOf(value: number, deviation: number): readonly [number, number] {
  return [Math.max(0, value - 2 * deviation), Math.min(1, value + 2 * deviation)];
}

/** What could not be determined is reported as missing, not left out. */
function optional(label: string, value: number | null, write: (value: number) => string): Row {
  return { label, value: write(value ?? Number.NaN) };
}

function stabilityBlocks({
  evidence,
  language,
  numbers,
  catalogue,
}: SectionInput): readonly Block[] {
  const { stability } = evidence;
  const { stabilityMissing, stabilityColumns, flips } = catalogue.measurements.results;
  if (stability === null) return [paragraph(stabilityMissing)];
  const [change, probability, side] = stabilityColumns;
  return [
    paragraph(stability.statement[language]),
    {
      kind: 'grid',
      columns: [
        { title: change, share: 0.36 },
        { title: probability, share: 0.38 },
        { title: side, share: 0.26 },
      ],
      rows: stability.trials.map(({ label, fakeProbability, isFlip }) => ({
        cells: [label[language], numbers.exact(fakeProbability), flips[isFlip ? 'yes' : 'no']],
      })),
    },
  ];
}
