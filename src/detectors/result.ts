/**
 * The types of a result. `Examination` is what one run determines and stores, so that later outputs (another tier,
 * heatmaps, reports) do not need a model again; `ResultFields` is what the contract publishes of it as numbers.
 */

import type { AnalysisResult } from '../contract/analysis.ts';
import type { Wire } from '../contract/common.ts';
import type { Evidence } from '../contract/evidence.ts';
import {
  type DecisionBasis,
  type DecisionStrategy,
  type ReasonCode,
  type ResultClass,
  resultClasses,
  type ResultSubClass,
  resultSubClasses,
  type Tier,
} from '../contract/vocabulary.ts';
import type { Finding, Skipped } from './detector.ts';
import type { PictureFacts } from '../image/picture.ts';
import type { MeasuredCalls, MeasuredCondition, ModelManifest } from '../contract/manifest.ts';
import type { Provenance } from '../contract/provenance.ts';
import type { modelIdentity } from '../contract/report-item.ts';

export type ClassScores = NonNullable<AnalysisResult['predictions']>;
export type ClassSimilarities = NonNullable<AnalysisResult['classSimilarities']>;
export type Anomaly = NonNullable<AnalysisResult['anomaly']>;

export const mapNames = ['real', 'fake', 'compression', 'anomaly'] as const;
export type MapName = (typeof mapNames)[number];

/**
 * One value per cell of `cellPx` by `cellPx` pixels, row-major; the last column and row may extend past the edge.
 * Stored as 16-bit numbers (0..65535 represents 0..1), so that the same run gives the same bytes everywhere.
 */
export interface CellMaps {
  readonly cellPx: number;
  readonly columns: number;
  readonly rows: number;
  readonly values: Readonly<Record<MapName, Uint16Array>>;
  /** By method, and `fusion`, which combines them. Empty in examinations from earlier versions. */
  readonly methods: Readonly<Record<string, Uint16Array>>;
}

/** The combined result of all methods that look for local changes; see `localisation.ts`. */
export type Manipulation = Pick<
  NonNullable<Evidence['manipulation']>,
  'probability' | 'region' | 'methods' | 'places'
>;

/** A marked place, and the methods that each mark it on their own. */
export type Place = NonNullable<Manipulation['places']>[number];

export interface ExamineOptions {
  /** Model identifier; null for the default, which is the latest image model in the package. */
  readonly model: string | null;
  /** Localisation model identifier; null or absent for the default. */
  readonly locator?: string | null;
  readonly decisionStrategy: DecisionStrategy;
  readonly seed: number;
}

/** How stable the verdict is when the picture undergoes common changes, such as recompression. */
export interface Stability extends Pick<StatedStability, 'holds'> {
  /** Probabilities are calibrated, and measured in the same way as for the picture itself. */
  readonly trials: readonly Omit<StatedStability['trials'][number], 'label'>[];
}

type StatedStability = NonNullable<Evidence['stability']>;

/**
 * A trial counts as a contradiction if its probability for the other side is at least this. Closer
 * to one half, it only shows doubt: on the same pictures, 4% of "real" verdicts are lost at 0.8 and
 * 8% at 0.6, while equally many photographs are called fake at both.
 */
export const clearlyOther = 0.8;

/** A decision, with everything needed to decide again under another strategy. */
export interface Decision {
  readonly resultClass: ResultClass;
  readonly resultSubClasses: readonly ResultSubClass[];
  /** Empty if the result is real or fake. */
  readonly reasons: readonly ReasonCode[];
  readonly basis: DecisionBasis;
  /** What the traces of the whole picture alone would have led to; absent if they are the basis. */
  readonly byTraces?: Pick<Decision, 'resultClass' | 'reasons'>;
  /** Calibrated probability, 0..1, that the picture is fake, provided that it is inside the validated domain. */
  readonly fakeProbability: number;
  /** Standard deviation of `fakeProbability` over the Monte Carlo passes. */
  readonly fakeUncertainty: number;
  /** The thresholds that were applied, by name, as the manifests specify them for this strategy. */
  readonly thresholds: Readonly<Record<string, number>>;
}

export type ModelIdentity = Wire<typeof modelIdentity>;

export interface Examination {
  readonly facts: PictureFacts;
  readonly options: { readonly decisionStrategy: DecisionStrategy; readonly seed: number };
  readonly model: ModelIdentity;
  /** The network that looked for local changes; null in examinations from earlier versions. */
  readonly locator: ModelIdentity | null;
  /** Null in examinations from earlier versions. */
  readonly manipulation: Manipulation | null;
  /** Error rates shipped with the model; empty if it was not measured. */
  readonly measured: readonly MeasuredCondition[];
  /** How often the localisation model called pictures manipulated in tests; empty if it was not tested. */
  readonly measuredCalls: readonly MeasuredCalls[];
  readonly decision: Decision;
  readonly predictions: ClassScores;
  readonly classUncertainties: ClassScores;
  readonly classSimilarities: ClassSimilarities;
  readonly anomaly: Anomaly;
  /** Null if there was no stability test, which requires a verdict. */
  readonly stability: Stability | null;
  readonly provenance: Provenance;
  readonly findings: readonly Finding[];
  readonly skipped: readonly Skipped[];
  readonly maps: CellMaps;
  /** Optional outputs that were requested with the examination, and are stored beside it; see `ExamineRequest`. */
  readonly thumbnail?: Uint8Array;
  readonly fingerprint?: Uint8Array;
  /** Number of Monte Carlo passes, and of patches from which the picture's scores were read. */
  readonly passes: number;
  readonly patchesRead: number;
  /** Versions of all that computes, and the CPU model; only if all match does another run give the same bytes. */
  readonly environment: Readonly<Record<string, string>>;
}

export type Examined = Omit<Examination, 'maps'>;

/** The numeric fields of the contract's `analysis.inferenceStatus.result`. */
export type ResultFields = Omit<AnalysisResult, 'heatmaps' | 'report' | 'evidence'>;

/** `forensicReporting` fills every field; under `flagging`, all fields except the classes are null. */
export function toResultFields(
  examination: Pick<
    Examination,
    'decision' | 'predictions' | 'classUncertainties' | 'classSimilarities' | 'anomaly'
  >,
  tier: Tier,
): ResultFields {
  const { decision } = examination;
  const isFull = tier === 'forensicReporting';
  return {
    resultClass: resultClasses.indexOf(decision.resultClass),
    resultSubClasses: decision.resultSubClasses.map((name) => resultSubClasses.indexOf(name)),
    predictions: isFull ? examination.predictions : null,
    classUncertainties: isFull ? examination.classUncertainties : null,
    classSimilarities: isFull ? examination.classSimilarities : null,
    anomaly: isFull ? examination.anomaly : null,
  };
}

/** Identifies a model by name and version, and by the digests of its files. */
export function identifyModel({
  id,
  version,
  files,
}: Pick<ModelManifest, 'id' | 'version' | 'files'>): ModelIdentity {
  const digests = Object.entries(files).map(([name, { sha256 }]) => [name, sha256] as const);
  return { id, version, files: Object.fromEntries(digests) };
}

export function isSameModel(one: ModelIdentity, other: ModelIdentity): boolean {
  const names = Object.keys({ ...one.files, ...other.files });
  const hasSameFiles = names.every((name) => one.files[name] === other.files[name]);
  return one.id === other.id && one.version === other.version && hasSameFiles;
}

export function modelName({ id, version }: Pick<ModelIdentity, 'id' | 'version'>): string {
  return `${id} ${version}`;
}
