/**
 * The words of a result: classes, strategies, tiers, reasons and maps. The first part is the contract's
 * `analysis.inferenceStatus.result`; `Examination` is what one run finds out and what is stored, so that every later
 * output (another tier, heatmaps, reports) is made without running a model on the picture again.
 */

import type {
  DecisionBasis,
  DecisionStrategy,
  ReasonCode,
  ResultClass,
  ResultSubClass,
  StabilityChange,
} from '../contract/vocabulary.ts';
import type { Finding, Skipped } from '../detectors/detector.ts';
import type { Region } from '../detectors/regions.ts';
import type { PictureFacts } from '../image/picture.ts';
import type { MeasuredCalls } from '../inference/locate-manifest.ts';
import type { MeasuredCondition } from '../inference/manifest.ts';
import type { Provenance } from '../provenance/provenance.ts';

export interface ClassScores {
  readonly real: number;
  readonly fake: number;
  readonly compression: number;
}

export interface ClassSimilarities {
  readonly realCompressed: number;
  readonly fakeCompressed: number;
}

export interface Anomaly {
  readonly score: number | null;
  readonly numCluster: number | null;
  readonly giniCoeff: number | null;
}

export const mapNames = ['real', 'fake', 'compression', 'anomaly'] as const;
export type MapName = (typeof mapNames)[number];

/**
 * One value for each cell of `cellPx` by `cellPx` pixels, row-major; the last column and row may hang over the edge.
 * Stored as 16-bit numbers so that the same run gives the same bytes everywhere: 0..65535 maps to 0..1.
 */
export interface CellMaps {
  readonly cellPx: number;
  readonly columns: number;
  readonly rows: number;
  readonly values: Readonly<Record<MapName, Uint16Array>>;
  /**
   * Where single methods point, by the name of the method, and `fusion`: all of them together. Empty for examinations of earlier
   * versions.
   */
  readonly methods: Readonly<Record<string, Uint16Array>>;
}

/** The combined result of all methods that look for local changes; see `localisation.ts`. */
export interface Manipulation {
  /** Calibrated probability 0..1 that something in the picture was changed. */
  readonly probability: number;
  /**
   * The largest region marked as changed, by all methods or by the one that speaks loudest; null when none is, most of the
   * picture is, or no strategy suspects a change.
   */
  readonly region: Region | null;
  /** Methods that indicate a change by themselves, at least weakly. */
  readonly methods: readonly string[];
  /**
   * Every place that is marked, in the order that numbers them; `region` is the first. Empty while no strategy suspects a
   * change, missing in examinations of earlier versions.
   */
  readonly places?: readonly Place[];
}

/** A marked place, and the methods that mark it by themselves. */
export interface Place {
  readonly region: Region;
  readonly methods: readonly string[];
}

export interface ExamineOptions {
  /** Model identifier, or null for the default: the latest image model of the package. */
  readonly model: string | null;
  /** The same of the localisation model; null or nothing for the default. */
  readonly locator?: string | null;
  readonly decisionStrategy: DecisionStrategy;
  readonly seed: number;
}

/** The verdict again after changes that every shared picture goes through. */
export interface Stability {
  /** False when a change would lead to the other side. */
  readonly holds: boolean;
  readonly trials: readonly {
    readonly change: StabilityChange;
    /** Calibrated, 0..1, read as in the picture itself. */
    readonly fakeProbability: number;
    /** Whether this trial contradicts the verdict on the picture itself, clearly enough to count. */
    readonly isFlip: boolean;
  }[];
}

/** What was decided, with everything that is needed to decide again under another strategy. */
export interface Decision {
  readonly resultClass: ResultClass;
  readonly resultSubClasses: readonly ResultSubClass[];
  /** Empty for real and fake. */
  readonly reasons: readonly ReasonCode[];
  readonly basis: DecisionBasis;
  /** What the traces of the whole picture alone would have led to; only where the basis is another. */
  readonly byTraces?: Pick<Decision, 'resultClass' | 'reasons'>;
  /** Calibrated probability that the picture is fake, 0..1, given that it is inside the validated domain. */
  readonly fakeProbability: number;
  /** Standard deviation of `fakeProbability` over the Monte Carlo passes. */
  readonly fakeUncertainty: number;
  /** The thresholds that were applied, by name, as the models' manifests state them for this strategy. */
  readonly thresholds: Readonly<Record<string, number>>;
}

export interface ModelIdentity {
  readonly id: string;
  readonly version: string;
  /** SHA-256 of each file of the model, lower-case hex, by file name. */
  readonly files: Readonly<Record<string, string>>;
}

export interface Examination {
  readonly facts: PictureFacts;
  readonly options: { readonly decisionStrategy: DecisionStrategy; readonly seed: number };
  readonly model: ModelIdentity;
  /** The network that looked for local changes; null for an examination of an earlier version. */
  readonly locator: ModelIdentity | null;
  /** Null for an examination of an earlier version. */
  readonly manipulation: Manipulation | null;
  /** Error rates that ship with the model; empty when it was not measured. */
  readonly measured: readonly MeasuredCondition[];
  /** How often pictures were called manipulated when the localisation was measured; empty when it was not. */
  readonly measuredCalls: readonly MeasuredCalls[];
  readonly decision: Decision;
  readonly predictions: ClassScores;
  readonly classUncertainties: ClassScores;
  readonly classSimilarities: ClassSimilarities;
  readonly anomaly: Anomaly;
  /** Null when it was not carried out: only a verdict can be put to the test. */
  readonly stability: Stability | null;
  readonly provenance: Provenance;
  readonly findings: readonly Finding[];
  readonly skipped: readonly Skipped[];
  readonly maps: CellMaps;
  /** What was asked for beside the examination, and is kept beside it: see `ExamineRequest`. */
  readonly thumbnail?: Uint8Array;
  readonly fingerprint?: Uint8Array;
  /** Monte Carlo passes and patches that the picture's scores were read from. */
  readonly passes: number;
  readonly patchesRead: number;
  /** Product, Node.js, ONNX Runtime, sharp and libvips versions and CPU model: what another run must match to be byte-identical. */
  readonly environment: Readonly<Record<string, string>>;
}

/** All of an examination but its maps. */
export type Examined = Omit<Examination, 'maps'>;
