/**
 * The manifests of image models, which separate generated pictures from photographs, and of
 * localisation models. Each field is declared once, with its bounds. Nothing else describes a model,
 * and a manifest is trusted only after the hashes of the model's files have been checked.
 */

import { hash } from 'node:crypto';
import { Type } from 'typebox';
import { oneOf, type Wire } from './common.ts';
import { ForensicsError } from './errors.ts';
import {
  damaged,
  fakeMin,
  fixed,
  heldOutRatios,
  identity,
  matching,
  named,
  number,
  numbers,
  orElse,
  orNull,
  parseModelJson,
  readModelFile,
  rising,
  share,
  text,
  thresholds,
  weight,
  where,
  whole,
} from './manifest-fields.ts';

/** Scales must be positive, because a negative one would swap real and fake. */
const calibration = Type.Object({ scale: number(1e-6, 1e3), offset: number(-1e3, 1e3) });
export type Calibration = Wire<typeof calibration>;

const measuredRates = Type.Object({
  /** Share of all pictures. */
  decided: share,
  /** Share of all photographs. */
  realCalledFake: share,
  /** Share of all generated pictures. */
  fakeCalledReal: share,
  /** Shares of all photographs and of all generated pictures; absent in older manifests. */
  realCalledReal: Type.Optional(share),
  fakeCalledFake: Type.Optional(share),
});
export type MeasuredRates = Wire<typeof measuredRates>;

/** Results on labelled pictures with one processing history, on which nothing was fitted. Shares are 0..1. */
export const measuredCondition = Type.Object({
  /** Processing history, such as `as is` or `jpeg 75`. */
  condition: text,
  /** Number of photographs and of generated pictures. */
  real: whole(0, 1e9),
  fake: whole(0, 1e9),
  /** Smallest and largest longer side of the pictures, in pixels; absent in older manifests. */
  longerSidePx: Type.Optional(rising(2, whole(1, 1e6))),
  /** Area under the ROC curve, with its 95% interval over sources. */
  auc: share,
  aucLow: share,
  aucHigh: share,
  strategies: Type.Object({
    pedantic: measuredRates,
    default: measuredRates,
    relaxed: measuredRates,
  }),
  /** Absent in older manifests. */
  ratios: Type.Optional(heldOutRatios),
});
export type MeasuredCondition = Wire<typeof measuredCondition>;

/** Limits the network's working memory, about 150 MB per megapixel, because it reads a picture in a single run. */
const maxReadPixels = 4_000_000;

/** Limits on how much of a picture is read; see `engine/patch-scores.ts`. */
const views = where(
  Type.Object({
    /** A larger picture is scaled down to this. Released manifests contain the name. */
    mostPixels: whole(65_536, maxReadPixels),
    /** Side and number of the full-resolution squares that are read too if the picture was scaled down. */
    tilePx: whole(32, 4096),
    tiles: whole(0, 4096),
    /** Longer side of the view of the whole picture, in pixels. */
    wholePx: whole(32, 4096),
    /** Weights of the mean logits of each part, which add up to 1. Without tiles, their weight goes to the patches. */
    weights: Type.Object({ patches: share, tiles: share, whole: share }),
  }),
  'has weights that do not add up to 1',
  ({ weights: { patches, tiles, whole: all } }) => Math.abs(patches + tiles + all - 1) <= 1e-9,
);
export type Views = Wire<typeof views>;

/** A second network, `transformer.onnx`; see `engine/patch-scores.ts`. */
const transformer = Type.Object({
  /** Layout of the squares: they begin at multiples of `stepPx`, without overlap, and the most textured are read. */
  sidePx: whole(32, 1024),
  stepPx: whole(8, 1024),
  squares: whole(0, 16),
  /** Weights with which its outputs are added to the log odds of *fake* from the patches, all before calibration. */
  weights: Type.Object({ view: weight, squares: weight }),
  /** A picture that resembles a photograph less than this, 0..1, is not judged as a photograph. */
  photographMin: share,
});
export type Transformer = Wire<typeof transformer>;

/**
 * Per halving of the pixel count, from `below` down to `downTo`, the log odds of `fakeMin` rise by `perHalving`, and
 * those of `realMax` fall by `realPerHalving`, which is 0 for models before trace-3 3.4.0.
 */
const sizeRegime = Type.Object({
  perHalving: number(0, 4),
  realPerHalving: orElse(number(0, 4), 0),
  below: whole(1, 1e9),
  downTo: whole(1, 1e9),
});
export type SizeRegime = Wire<typeof sizeRegime>;

const counted = Type.Object({ found: whole(0, 1e9), of: whole(1, 1e9) });

/** Sizes that generators give their pictures, and that photographs rarely or never have. The first match counts. */
const generatorSizes = Type.Object({
  /** How many times as probable such a size is taken to be in a generated picture as in a photograph. */
  ratio: number(1, 10),
  /** If the shorter side has at least this many pixels, the proportions are enough; if absent, the size must match. */
  leastSide: Type.Optional(whole(64, 1e5)),
  /** In how many sources, of all sources of a class, at least one picture has such a size. */
  sources: Type.Object({ generated: counted, photographs: counted }),
  /** Longer and shorter side in pixels, such as `1408x768`. */
  sizes: Type.Array(matching(/^\d+x\d+$/, 'a size such as 1408x768')),
});
export type GeneratorSizes = Wire<typeof generatorSizes>;

const imageManifest = Type.Object({
  type: Type.Literal('image'),
  ...identity,
  input: Type.Object({
    cellPx: whole(1, 256),
    patchCells: whole(1, 256),
    patchStrideCells: whole(1, 256),
    patchesRead: whole(1, 4096),
    name: fixed('rgb'),
    layout: fixed('NHWC'),
    dtype: fixed('uint8'),
  }),
  // The names of tensors, as in `networks.ts`.
  outputs: Type.Optional(
    Type.Object({
      model: fixed(['features']),
      head: fixed(['logits', 'embedding']),
      logits: fixed(['real', 'fake', 'compression']),
    }),
  ),
  views,
  /** Null if the patch network is the only network of the model. */
  transformer: orNull(transformer),
  dropout: Type.Object({ rate: number(0, 0.9), passes: whole(2, 1000) }),
  calibration: Type.Object({
    real: calibration,
    fake: calibration,
    compression: calibration,
    decision: calibration,
  }),
  thresholds: Type.Object({
    fakeMin,
    realMax: thresholds('increasing', 0, 0.5),
    traceMin: thresholds('decreasing', 0, 2),
    compressionMax: thresholds('increasing', 0, 1),
    anomalyMax: thresholds('increasing', 0, 1),
  }),
  /** Limits for a compression score of at least `from`; null if the same limits apply to all pictures. */
  compressedRegime: orNull(Type.Object({ from: share, fakeMin })),
  /** The same for pictures with fewer than `below` pixels; if both apply, the higher limit counts. */
  smallRegime: orNull(Type.Object({ below: whole(1, 1e9), fakeMin })),
  /** Null for models before trace-3 3.1.0, in which limits rise in a single step. */
  sizeRegime: orNull(sizeRegime),
  /** Empty for models before trace-3 3.3.0. */
  generatorSizes: orElse(Type.Array(generatorSizes), []),
  /** Empty if the model was not measured. Written by `npm run evaluate -- --record`. */
  measured: orElse(Type.Array(measuredCondition), []),
});

export type ModelManifest = Wire<typeof imageManifest>;

// The manifest of a localisation model.

/** The localisation network processes blocks of this side in pixels, which the side of a cell must divide. */
export const blockPx = 8;

const methodName = /^[a-z][a-zA-Z0-9.-]{0,63}$/;

/** How well the fused map marked changed pixels in pictures on which nothing was fitted. */
const measuredLocalisation = Type.Object({
  /** Data set and kind of change. */
  set: text,
  condition: text,
  pictures: whole(0, 1e9),
  /** Mean pixel F1: at the best threshold of each picture, with its 95% interval, and at 0.5. */
  f1Best: share,
  f1Low: share,
  f1High: share,
  f1Half: share,
  /** Mean area under the pixel ROC curve. */
  pixelAuc: share,
});
export type MeasuredLocalisation = Wire<typeof measuredLocalisation>;

const callCounts = Type.Object({ changed: whole(0, 1e9), photographs: whole(0, 1e9) });
export const changeKinds = ['splice', 'copy-move', 'removal', 'regenerated'] as const;
export type ChangeKind = (typeof changeKinds)[number];

/** Verdicts under the default strategy. */
const verdictCounts = { pictures: whole(1, 1e9), called: whole(0, 1e9), suspected: whole(0, 1e9) };

/** How often pictures were called manipulated, among pictures on which nothing was fitted. */
const measuredCalls = where(
  Type.Object({
    condition: text,
    /** The range of picture sizes, in megapixels; if absent, all sizes. */
    megapixels: Type.Optional(
      where(
        Type.Object({ from: number(0, 1e6), below: orNull(number(0, 1e6)) }),
        'is not a range',
        ({ from, below }) => below === null || below >= from,
      ),
    ),
    /** Number of changed pictures (without a size, only those that people changed) and of unchanged photographs. */
    changed: whole(1, 1e9),
    photographs: whole(1, 1e9),
    /** How many of these were called manipulated. */
    strategies: Type.Object({ pedantic: callCounts, default: callCounts, relaxed: callCounts }),
    /** Absent in older manifests, and if a size is stated. */
    ratios: Type.Optional(heldOutRatios),
    /** For pictures with one kind of change, and for those that nobody changed. */
    kinds: Type.Optional(Type.Array(Type.Object({ kind: oneOf(changeKinds), ...verdictCounts }))),
    unchanged: Type.Optional(Type.Object(verdictCounts)),
  }),
  'counts more pictures than there were',
  ({ strategies, changed, photographs }) =>
    Object.values(strategies).every(
      (counts) => counts.changed <= changed && counts.photographs <= photographs,
    ),
);
export type MeasuredCalls = Wire<typeof measuredCalls>;

/** How words of a document are compared with each other; see `detectors/words`. */
const wordModel = Type.Object({
  /** Least deviation that counts, for each measure. */
  floors: named(methodName, number(1e-6, 1e3)),
  /** The sum of `offset` and of a value from each tree is the log odds that a word was changed. */
  offset: number(-1e3, 1e3),
  trees: numbers<number[][][]>(-1e6, 1e6, 3),
  /** Weights of the strongest words, of their number and of the page's own measures, for the log odds of the page. */
  page: Type.Array(number(-1e3, 1e3)),
  pageOffset: number(-1e3, 1e3),
  /** From these log odds on, a change is suspected; how many times as frequent that is on changed documents. */
  suspectedFrom: number(-1e3, 1e3),
  ratio: number(1, 1e3),
  /** Unchanged documents on which nothing was fitted, and those of them that were suspected. */
  tested: Type.Object({ unchanged: whole(1, 1e9), wrongly: whole(0, 1e9) }),
});
export type WordModel = Wire<typeof wordModel>;

const locateManifest = Type.Object({
  type: Type.Literal('localisation'),
  ...identity,
  outputs: fixed(['changed', 'trust', 'score']),
  input: Type.Object({
    /** Side in pixels of the square that each map value covers; it divides the network's blocks of 8 pixels. */
    cellPx: where(whole(1, blockPx), `does not divide ${blockPx}`, (side) => blockPx % side === 0),
    /** The network reads the whole picture at once, so a larger one is halved until it fits. */
    maxPixels: whole(65_536, 1e8),
  }),
  /** Limits on the probability of a change: manipulated from `manipulatedMin`, never real from `suspectedMin`. */
  thresholds: where(
    Type.Object({
      manipulatedMin: thresholds('decreasing', 0.5, 1),
      suspectedMin: thresholds('increasing', 0, 1),
    }),
    // One limit falls and the other rises, so they are closest under the last strategy.
    'has suspectedMin above manipulatedMin',
    ({ suspectedMin, manipulatedMin }) => suspectedMin.relaxed <= manipulatedMin.relaxed,
  ),
  /** How the fusion combines all methods that look for changes; see `engine/localisation.ts`. */
  fusion: Type.Object({
    places: Type.Object({
      offset: weight,
      /**
       * Subtracted from each cell: shares, 0..1, of the picture's median and strongest cells, and log odds for each
       * doubling of a megapixel. Absent in version 1.0.0.
       */
      level: orElse(
        Type.Object({ middle: share, strongest: share, perDoubling: orElse(weight, 0) }),
        { middle: 0, strongest: 0, perDoubling: 0 },
      ),
      weights: named(methodName, Type.Object({ weight, rest: share })),
    }),
    picture: Type.Object({
      offset: weight,
      /** Log odds for each doubling of a megapixel, and for quality 0 relative to 100. Absent before version 1.2.0. */
      perDoubling: orElse(weight, 0),
      compression: orElse(weight, 0),
      weights: named(methodName, weight),
      /** Methods that can raise a suspicion alone. Absent before version 2.4.0. */
      suspectAlone: orElse(Type.Array(matching(methodName, 'a method')), []),
    }),
  }),
  /** Null before version 2.5.0. */
  words: orNull(wordModel),
  /** Empty if the model was not measured. */
  measured: orElse(Type.Array(measuredLocalisation), []),
  called: orElse(Type.Array(measuredCalls), []),
});

export type LocateManifest = Wire<typeof locateManifest>;

export type AnyManifest = ModelManifest | LocateManifest;

/** @throws {ForensicsError} `model_integrity` naming the first field that is missing or impossible. */
export function parseAnyManifest(json: string): AnyManifest {
  const root = parseModelJson(json, 'manifest.json');
  const { type, votes } = root;
  if (type !== 'image' && type !== 'localisation') {
    throw damaged('type is neither image nor localisation');
  }
  if (votes !== undefined) {
    throw new ForensicsError(
      'model_integrity',
      'The model has a second network, votes.onnx, which this version does not run; forensics 0.1.0 does.',
    );
  }
  const manifest =
    type === 'image' ? readModelFile(imageManifest, root) : readModelFile(locateManifest, root);
  // The manifest counts as a file, because thresholds and calibration affect decisions as much as weights.
  const own = { sha256: hash('sha256', json), bytes: Buffer.byteLength(json) };
  return { ...manifest, files: { ...manifest.files, 'manifest.json': own } };
}

const vector = numbers<number[]>(-1e12, 1e12);
const quantiles = rising(101, number(-1e12, 1e12));

/** Reference statistics of the embedding, from `statistics.json`. */
const statistics = where(
  Type.Object({
    embedding: Type.Object({
      dimension: whole(1, 4096),
      mean: vector,
      /** Row-major `dimension * dimension`; the squared distance of e is |W (e - mean)|^2. */
      whitening: vector,
    }),
    /** 101 quantiles, 0..100%, of distances of patches and of picture means, for sources not used in training. */
    distanceQuantiles: quantiles,
    pictureDistanceQuantiles: quantiles,
    prototypes: Type.Object({ realCompressed: vector, fakeCompressed: vector }),
  }),
  'has a vector that does not fit its dimension',
  ({ embedding: { dimension, mean, whitening }, prototypes }) =>
    whitening.length === dimension ** 2 &&
    [mean, ...Object.values(prototypes)].every(({ length }) => length === dimension),
);
export type EmbeddingStatistics = Wire<typeof statistics>;

/** @throws {ForensicsError} `model_integrity` if a vector has the wrong length or quantiles are not ascending. */
export function parseStatistics(json: string): EmbeddingStatistics {
  return readModelFile(statistics, parseModelJson(json, 'statistics.json'));
}
