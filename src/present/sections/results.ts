/** What was measured, with ranges: figures, and whether they hold when the picture is saved or scaled again. */

import { resultClasses, resultSubClasses } from '../../contract/vocabulary.ts';
import type { Decision } from '../../engine/result.ts';
import { placeOf } from '../../detectors/regions.ts';
import { clearlyOther } from '../../engine/stability.ts';
import { trialOutcome } from '../evidence.ts';
import { isSimilarityOpposite, leadsToAbstain } from '../forensic-text.ts';
import { nameIn, printable } from '../printable.ts';
import { markedPlaces, readFigures } from '../result.ts';
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
  const { results, forensic } = catalogue.measurements;
  const isOutside = leadsToAbstain(examination.decision);
  return [
    { kind: 'table', rows: [...decisionRows(input), ...measuredRows(input), ...changeRows(input)] },
    ...only(!isOutside, note(labels.deviation)),
    ...only(writeJoint(input) !== null, note(results.jointNote)),
    ...only(isSimilarityOpposite(input), note(forensic.nearer.opposite)),
    ...only(isOutside, note(results.outside)),
    heading(results.stabilityTitle),
    ...stabilityBlocks(input),
  ];
}

function decisionRows({ examination, labels, catalogue }: SectionInput): readonly Row[] {
  const { resultSubClasses: kinds, byTraces, ...decision } = examination.decision;
  const { rows } = labels;
  const writeReasons = (reasons: Decision['reasons']) =>
    reasons.map((reason) => catalogue.outcome.short[reason]).join('; ');
  const subClasses = kinds.map((kind) => `${kind} (${resultSubClasses.indexOf(kind)})`);
  return [
    { label: rows.resultClass, value: numbered(decision) },
    ...row(
      decision.resultClass === 'fake',
      rows.resultSubClasses,
      subClasses.join(', ') || labels.none,
    ),
    ...row(decision.reasons.length > 0, rows.reasons, writeReasons(decision.reasons)),
    ...(byTraces === undefined
      ? []
      : [
          {
            label: rows.byTraces,
            value: [numbered(byTraces), writeReasons(byTraces.reasons)].filter(Boolean).join(': '),
          },
        ]),
  ];
}

/** The word and the number of the interface. */
function numbered({ resultClass }: Pick<Decision, 'resultClass'>): string {
  return `${resultClass} (${resultClasses.indexOf(resultClass)})`;
}

/** Values outside the validated range stand in the annex only: side by side with their caveat they would still be read. */
function measuredRows({ examination, labels, numbers }: SectionInput): readonly Row[] {
  const { decision, predictions, classUncertainties, classSimilarities, anomaly } = examination;
  const { rows } = labels;
  if (leadsToAbstain(decision)) return [];
  const { realMax, fakeMin } = decision.thresholds;
  const measured = (label: string, value: number, deviation: number): Row => {
    const range = twoDeviations(value, deviation);
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

/** The combined result of the methods that look for changed parts; nothing where it was not sought or has no tested meaning. */
function changeRows(input: SectionInput): readonly Row[] {
  const { examination, labels, numbers, catalogue } = input;
  const { changed } = readFigures(examination);
  if (changed === null) return [];
  const methods = examination.manipulation?.methods ?? [];
  const { rows } = labels;
  const { suspectedMin, manipulatedMin } = examination.decision.thresholds;
  const names = methods.map((method) =>
    nameIn(catalogue.findings.methods, method, printable(method, 60)),
  );
  const joint = writeJoint(input);
  return [
    {
      label: rows.changeProbability,
      value: numbers.exact(changed),
      bar: changed,
      marks: [suspectedMin, manipulatedMin].filter((mark) => mark !== undefined),
    },
    ...row(joint !== null, rows.eitherProbability, joint ?? ''),
    { label: rows.changeRegion, value: writeRegion(input) ?? labels.none },
    { label: rows.changeMethods, value: names.join(', ') || labels.none },
  ];
}

/** Two standard deviations to each side, cut to what a score can be. */
function twoDeviations(value: number, deviation: number): readonly [number, number] {
  return [Math.max(0, value - 2 * deviation), Math.min(1, value + 2 * deviation)];
}

/** What could not be determined is reported as missing, not left out. */
function optional(label: string, value: number | null, write: (value: number) => string): Row {
  return { label, value: write(value ?? Number.NaN) };
}

function stabilityBlocks({
  evidence,
  examination,
  language,
  numbers,
  catalogue,
}: SectionInput): readonly Block[] {
  const { stability } = evidence;
  const { stabilityMissing, stabilityColumns, stabilityOther } = catalogue.measurements.results;
  const { outcomes } = catalogue.strength.stability;
  if (stability === null) return [paragraph(stabilityMissing)];
  const [change, probability, side] = stabilityColumns;
  return [
    {
      kind: 'grid',
      columns: [
        { title: change, share: 0.36 },
        { title: probability, share: 0.38 },
        { title: side, share: 0.26 },
      ],
      rows: stability.trials.map((trial) => ({
        cells: [
          trial.label[language],
          numbers.exact(trial.fakeProbability),
          outcomes[trialOutcome(trial, examination.decision)],
        ],
      })),
    },
    ...only(
      stability.trials.some(({ isFlip }) => isFlip),
      note(stabilityOther(numbers.score(clearlyOther))),
    ),
  ];
}

/** In words, a line for each place, numbered where there are several; null where no search was made or its result has no tested meaning. */
export function writeRegion({
  examination,
  catalogue,
  labels,
  numbers,
}: SectionInput): string | null {
  if (readFigures(examination).changed === null) return null;
  const places = markedPlaces(examination);
  if (places.length === 0) return catalogue.document.head.noRegion;
  const { findings: words } = catalogue;
  const written = places.map(({ region }) => {
    const { left, top, width, height, share } = region;
    const place = words.places[placeOf(region, examination.facts)];
    const box = `${numbers.count(width)} × ${numbers.count(height)} ${labels.pixels}`;
    const corner = `x ${numbers.count(left)}, y ${numbers.count(top)}`;
    return `${place}; ${words.writeShare(share)}; ${box}, ${corner}`;
  });
  if (written.length === 1) return written[0]!;
  return written.map((text, at) => `${at + 1}: ${text}`).join('\n');
}

/**
 * The bounds of the probability that either is so, whatever the two have to do with each other; null unless both are
 * stated.
 *
 * @see M. Fréchet, "Généralisation du théorème des probabilités totales", Fundamenta Mathematicae 25 (1935).
 */
export function writeJoint({
  examination,
  catalogue,
  numbers,
}: Pick<SectionInput, 'examination' | 'catalogue' | 'numbers'>): string | null {
  const { generated, changed } = readFigures(examination);
  if (generated === null || changed === null) return null;
  const low = Math.max(generated.value, changed);
  const high = generated.value + changed;
  const least = numbers.score(low);
  // "above 0.99" is a bound by itself.
  if (!/^\d/.test(least)) return least;
  // That it is no more than certain needs no words.
  return catalogue.measurements.results.joint(least, high < 0.995 ? numbers.score(high) : null);
}
