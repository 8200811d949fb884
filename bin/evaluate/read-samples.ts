/** Runs every sample through the real engine, once for each condition. */

import { join } from 'node:path';
import type { PatchScores } from '../../src/engine/patch-scores.ts';
import type { Examination, Decision } from '../../src/detectors/result.ts';
import type { Scored } from '../../src/service/validation/figures.ts';
import { picturesOf } from './conditions.ts';
import type { Sample } from './data-set.ts';
import { type Classes, type Examining, examineUnderAll } from './examine-under-all.ts';
import { type Compression, compressionOfResaves, type Flips, flipsOf } from './resaves.ts';

export interface Row {
  readonly sample: Sample;
  readonly condition: string;
  readonly patchScores: Pick<PatchScores, 'meanLogits'> & { readonly meanDistance: number };
  /** Under the default strategy. */
  readonly examination: Omit<Examination, 'maps'>;
  /** Share 0..1 of the cells of the anomaly map below 0.5. */
  readonly usualCells: number;
  readonly classes: Classes;
  /** For the picture as it is: strategies whose verdict a re-save reverses. */
  readonly flips: Flips | null;
  /** For the picture as it is. */
  readonly compression: Compression | null;
}

/** The part of a row that verdict figures need. */
export interface Outcome
  extends Pick<Row, 'sample' | 'condition' | 'classes' | 'flips' | 'compression'> {
  readonly examination: { readonly decision: Pick<Decision, 'fakeProbability'> };
}

export function toScored({ sample, examination }: Outcome): Scored {
  const { isFake, source } = sample;
  return { isFake, source, score: examination.decision.fakeProbability };
}

/** Conditions that both classes are measured under. */
const measured = ['as is', 'jpeg 75', 'half', 'half, jpeg 80'] as const;

export async function* readSample(
  sample: Sample,
  dataDir: string,
  models: Examining,
  saveAgain: boolean,
): AsyncGenerator<Row> {
  for await (const [condition, picture] of picturesOf(join(dataDir, sample.file), measured)) {
    const isAsIs = saveAgain && condition === 'as is';
    const { patchScores, examination, maps, classes } = await examineUnderAll(picture, models);
    yield {
      sample,
      condition,
      patchScores: { meanLogits: patchScores.meanLogits, meanDistance: meanDistance(patchScores) },
      examination,
      usualCells: usualCells(maps.values.anomaly),
      classes,
      flips: isAsIs ? await flipsOf(picture, models, classes) : null,
      compression: isAsIs ? await compressionOfResaves(picture, models.trace) : null,
    };
  }
}

function usualCells(values: Uint16Array): number {
  return values.filter((value) => value < 32_768).length / values.length;
}

/** Of the patches that represent the picture: the manifest's picture quantiles are made from these means. */
function meanDistance({ distances, read }: PatchScores): number {
  return read.reduce((sum, index) => sum + distances[index]!, 0) / read.length;
}

const columns: Readonly<Record<string, (row: Row) => string | number>> = {
  file: ({ sample }) => sample.file,
  split: ({ sample }) => sample.split,
  label: ({ sample }) => (sample.isFake ? 'ai-generated' : 'real'),
  generator: ({ sample }) => sample.generator,
  source: ({ sample }) => sample.source,
  condition: ({ condition }) => condition,
  width: ({ examination }) => examination.facts.width,
  height: ({ examination }) => examination.facts.height,
  patches_read: ({ examination }) => examination.patchesRead,
  logit_real: ({ patchScores }) => patchScores.meanLogits.real,
  logit_fake: ({ patchScores }) => patchScores.meanLogits.fake,
  logit_compression: ({ patchScores }) => patchScores.meanLogits.compression,
  real: ({ examination }) => examination.predictions.real,
  fake: ({ examination }) => examination.predictions.fake,
  compression: ({ examination }) => examination.predictions.compression,
  fake_probability: ({ examination }) => examination.decision.fakeProbability,
  fake_uncertainty: ({ examination }) => examination.decision.fakeUncertainty,
  mean_distance: ({ patchScores }) => patchScores.meanDistance,
  anomaly_score: ({ examination }) => examination.anomaly.score ?? '',
  anomaly_clusters: ({ examination }) => examination.anomaly.numCluster ?? '',
  anomaly_gini: ({ examination }) => examination.anomaly.giniCoeff ?? '',
  similarity_real: ({ examination }) => examination.classSimilarities.realCompressed,
  similarity_fake: ({ examination }) => examination.classSimilarities.fakeCompressed,
  pedantic: ({ classes }) => classes.pedantic,
  default: ({ classes }) => classes.default,
  relaxed: ({ classes }) => classes.relaxed,
  flips: ({ flips }) =>
    Object.entries(flips ?? {})
      .map((entry) => entry.join(' '))
      .join('; '),
  reasons: ({ examination }) => examination.decision.reasons.join(' '),
};

/** One line per picture and condition, RFC 4180; logits are raw, so that a calibration can be fitted on them. */
export function toCsv(rows: readonly Row[]): string {
  const lines = rows.map((row) =>
    Object.values(columns)
      .map((read) => field(read(row)))
      .join(','),
  );
  return `${[Object.keys(columns).join(','), ...lines].join('\n')}\n`;
}

function field(value: string | number): string {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
