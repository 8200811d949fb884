/** The manifest of a model folder: the only thing that is believed about a model, and only after its hashes were checked. */

export interface Calibration {
  readonly scale: number;
  readonly offset: number;
}

/** One number for each decision strategy. */
export interface StrategyThresholds {
  readonly pedantic: number;
  readonly default: number;
  readonly relaxed: number;
}

/**
 * What the shipped weights and thresholds did with labelled pictures that neither was fitted on, all given one history.
 * Shares are 0..1.
 */
export interface MeasuredCondition {
  /** The history: `as is`, `jpeg 75`, ... */
  readonly condition: string;
  /** How many photographs and generated pictures. */
  readonly real: number;
  readonly fake: number;
  /** Longer sides of the pictures in pixels, least and greatest; absent in manifests that did not record them. */
  readonly longerSidePx?: readonly [number, number];
  /** Area under the ROC curve, and its 95 % interval over sources. */
  readonly auc: number;
  readonly aucLow: number;
  readonly aucHigh: number;
  readonly strategies: Readonly<Record<keyof StrategyThresholds, MeasuredRates>>;
}

export interface MeasuredRates {
  /** Of all pictures. */
  readonly decided: number;
  /** Of all photographs. */
  readonly realCalledFake: number;
  /** Of all generated pictures. */
  readonly fakeCalledReal: number;
  /** Of all photographs, and of all generated pictures; absent in manifests that did not record them. */
  readonly realCalledReal?: number;
  readonly fakeCalledFake?: number;
}

export interface ModelManifest {
  readonly id: string;
  readonly version: string;
  readonly type: 'image';
  readonly created: string;
  /** All of the folder that decide anything, the manifest itself among them. */
  readonly files: Readonly<Record<string, { readonly sha256: string; readonly bytes: number }>>;
  readonly input: {
    readonly cellPx: number;
    readonly haloPx: number;
    readonly patchCells: number;
    readonly patchStrideCells: number;
    readonly patchesRead: number;
  };
  /** How the second arm is shown pixels; null for a model of the network alone. */
  readonly votes: { readonly haloPx: number } | null;
  readonly dropout: { readonly rate: number; readonly passes: number };
  readonly calibration: {
    readonly real: Calibration;
    readonly fake: Calibration;
    readonly compression: Calibration;
    readonly decision: Calibration;
  };
  readonly thresholds: {
    readonly fakeMin: StrategyThresholds;
    readonly realMax: StrategyThresholds;
    readonly traceMin: StrategyThresholds;
    readonly compressionMax: StrategyThresholds;
    readonly anomalyMax: StrategyThresholds;
  };
  /**
   * Limits of its own for pictures whose compression score is `from` or more, where real pictures look more generated;
   * null where one limit fits all.
   */
  readonly compressedRegime: { readonly from: number; readonly fakeMin: StrategyThresholds } | null;
  /** Empty for a model that nobody has measured. `npm run evaluate -- --record` writes it. */
  readonly measured: readonly MeasuredCondition[];
}

/** Reference statistics of the embedding, `statistics.json` of the model folder. */
export interface EmbeddingStatistics {
  readonly embedding: {
    readonly dimension: number;
    readonly mean: readonly number[];
    /** Row-major `dimension * dimension`: the squared distance of e is |W (e - mean)|^2. */
    readonly whitening: readonly number[];
  };
  /** 101 quantiles, 0..100 %, of patch distances and of picture means on sources unseen in training. */
  readonly distanceQuantiles: readonly number[];
  readonly pictureDistanceQuantiles: readonly number[];
  readonly prototypes: {
    readonly realCompressed: readonly number[];
    readonly fakeCompressed: readonly number[];
  };
}
