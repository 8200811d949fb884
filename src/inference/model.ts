/** The manifests of model folders: the only thing that is believed about a model, and only after its hashes were checked. */

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
  /** Longer sides of the pictures in pixels, min and max; absent in manifests that did not record them. */
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

/** Of either kind. */
interface IdentifiedModel {
  readonly id: string;
  readonly version: string;
  readonly created: string;
  /** All of the folder that decide anything, the manifest itself among them. */
  readonly files: Readonly<Record<string, { readonly sha256: string; readonly bytes: number }>>;
}

/** Of a model that separates generated pictures from photographs. */
export interface ModelManifest extends IdentifiedModel {
  readonly type: 'image';
  readonly input: {
    readonly cellPx: number;
    readonly patchCells: number;
    readonly patchStrideCells: number;
    readonly patchesRead: number;
  };
  readonly views: Views;
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
  /** The same for pictures of fewer than `below` pixels; a picture that both fit is held to the higher limit. */
  readonly smallRegime: { readonly below: number; readonly fakeMin: StrategyThresholds } | null;
  /** Empty for a model that was not measured. `npm run evaluate -- --record` writes it. */
  readonly measured: readonly MeasuredCondition[];
}

/** What is read of a picture at a bounded cost, see `engine/views.ts`. */
export interface Views {
  /** A larger picture is scaled to this many pixels, and its patches are of that. */
  readonly mostPixels: number;
  /** Of a picture that was scaled, so many squares of its own pixels are read as well. */
  readonly tilePx: number;
  readonly tiles: number;
  /** Longer side of the view of the whole picture. */
  readonly wholePx: number;
  /** What the mean logits of each count, together 1. Without tiles the patches count for both. */
  readonly weights: { readonly patches: number; readonly tiles: number; readonly whole: number };
}

/** Of a model that locates changes in a picture. */
export interface LocateManifest extends IdentifiedModel {
  readonly type: 'localisation';
  readonly input: {
    /** One value of the maps stands for a square of this side; a divisor of 8, on whose blocks the network works. */
    readonly cellPx: number;
    /** The network sees the whole picture at once: a larger one is halved until it fits. */
    readonly maxPixels: number;
  };
  /** For the probability that something was changed: from where on that is the verdict, and from where on nothing else is. */
  readonly thresholds: {
    readonly manipulatedMin: StrategyThresholds;
    readonly suspectedMin: StrategyThresholds;
  };
  /** How the answers of all methods that look for changes are put together; see `engine/localisation.ts`. */
  readonly fusion: {
    readonly places: {
      readonly offset: number;
      /** Shares 0..1 of the picture's median and of its strongest places that are taken from every place, and log odds for each doubling of a megapixel. */
      readonly level: {
        readonly middle: number;
        readonly strongest: number;
        readonly perDoubling: number;
      };
      /** By method. */
      readonly weights: Readonly<
        Record<string, { readonly weight: number; readonly rest: number }>
      >;
    };
    readonly picture: {
      readonly offset: number;
      /** Log odds for each doubling of a megapixel, and between quality 100 and 0. */
      readonly perDoubling: number;
      readonly compression: number;
      /** By method. */
      readonly weights: Readonly<Record<string, number>>;
    };
  };
  /** Empty for a model that was not measured. */
  readonly measured: readonly MeasuredLocalisation[];
  readonly called: readonly MeasuredCalls[];
}

/** How well the fused map marked what was changed, on pictures that nothing was fitted on. */
export interface MeasuredLocalisation {
  /** Data set, or kind of change. */
  readonly set: string;
  readonly condition: string;
  readonly pictures: number;
  /** Mean F1 over pixels: at each picture's best threshold with its 95 % interval, and at 0.5. */
  readonly f1Best: number;
  readonly f1Low: number;
  readonly f1High: number;
  readonly f1Half: number;
  /** Mean area under the ROC curve over pixels. */
  readonly pixelAuc: number;
}

/** How often a verdict was that something was changed, on pictures that nothing was fitted on. */
export interface MeasuredCalls {
  readonly condition: string;
  /** Of pictures of this size alone; without it of every size. */
  readonly megapixels?: { readonly from: number; readonly below: number | null };
  /** Pictures with a changed part, changed by people alone where no size is given; and unchanged photographs. */
  readonly changed: number;
  readonly photographs: number;
  /** How many of them were called manipulated. */
  readonly strategies: Readonly<
    Record<keyof StrategyThresholds, { readonly changed: number; readonly photographs: number }>
  >;
}

export type AnyManifest = ModelManifest | LocateManifest;

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
