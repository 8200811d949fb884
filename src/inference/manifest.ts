/**
 * The manifest of an image model, which separates generated pictures from photographs. Each field
 * is declared once, with its bounds. Nothing else describes a model, and the manifest is trusted
 * only after the hashes of the model's files have been checked.
 */

import { ForensicsError } from '../errors.ts';
import {
  damaged,
  fakeMin,
  fixed,
  heldOutRatios,
  identity,
  list,
  number,
  object,
  optional,
  orElse,
  orNull,
  type Reader,
  rootFields,
  share,
  text,
  thresholds,
  weight,
  whole,
  withManifest,
} from './fields.ts';
import { type LocateManifest, parseLocateManifest } from './locate-manifest.ts';

/** Scales must be positive, because a negative one would swap real and fake. */
const calibration = object({ scale: number(1e-6, 1e3), offset: number(-1e3, 1e3) });
export type Calibration = ReturnType<typeof calibration>;

const measuredRates = object({
  /** Share of all pictures. */
  decided: share,
  /** Share of all photographs. */
  realCalledFake: share,
  /** Share of all generated pictures. */
  fakeCalledReal: share,
  /** Shares of all photographs and of all generated pictures; absent in older manifests. */
  realCalledReal: optional(share),
  fakeCalledFake: optional(share),
});
export type MeasuredRates = ReturnType<typeof measuredRates>;

/** Range of the longer sides of the pictures, in pixels. */
const longerSides: Reader<readonly [min: number, max: number]> = (value, name) => {
  const [min, max]: unknown[] = Array.isArray(value) ? value : [];
  const from = whole(1, 1e6)(min, `${name}[0]`);
  return [from, whole(from, 1e6)(max, `${name}[1]`)];
};

/** Results on labelled pictures with one processing history, on which nothing was fitted. Shares are 0..1. */
const measuredCondition = object({
  /** Processing history, such as `as is` or `jpeg 75`. */
  condition: text,
  /** Number of photographs and of generated pictures. */
  real: whole(0, 1e9),
  fake: whole(0, 1e9),
  /** Absent in older manifests. */
  longerSidePx: optional(longerSides),
  /** Area under the ROC curve, with its 95% interval over sources. */
  auc: share,
  aucLow: share,
  aucHigh: share,
  strategies: object({ pedantic: measuredRates, default: measuredRates, relaxed: measuredRates }),
  /** Absent in older manifests. */
  ratios: optional(heldOutRatios),
});
export type MeasuredCondition = ReturnType<typeof measuredCondition>;

/** Limits the network's working memory, about 150 MB per megapixel, because it reads a picture in a single run. */
const maxReadPixels = 4_000_000;

const viewFields = object({
  /** A larger picture is scaled down to this. Released manifests contain the name. */
  mostPixels: whole(65_536, maxReadPixels),
  /** Side and number of the full-resolution squares that are read too if the picture was scaled down. */
  tilePx: whole(32, 4096),
  tiles: whole(0, 4096),
  /** Longer side of the view of the whole picture, in pixels. */
  wholePx: whole(32, 4096),
  /** Weights of the mean logits of each part, which add up to 1. Without tiles, their weight goes to the patches. */
  weights: object({ patches: share, tiles: share, whole: share }),
});
export type Views = ReturnType<typeof viewFields>;

/** Limits on how much of a picture is read; see `engine/patch-scores.ts`. */
const views: Reader<Views> = (value, name) => {
  const read = viewFields(value, name);
  const { patches, tiles, whole: all } = read.weights;
  if (Math.abs(patches + tiles + all - 1) > 1e-9) {
    throw damaged(`${name}.weights do not add up to 1`);
  }
  return read;
};

/** A second network, `transformer.onnx`; see `engine/transformer.ts`. */
const transformer = object({
  /** Layout of the squares: they begin at multiples of `stepPx`, without overlap, and the most textured are read. */
  sidePx: whole(32, 1024),
  stepPx: whole(8, 1024),
  squares: whole(0, 16),
  /** Weights with which its outputs are added to the log odds of *fake* from the patches, all before calibration. */
  weights: object({ view: weight, squares: weight }),
  /** A picture that resembles a photograph less than this, 0..1, is not judged as a photograph. */
  photographMin: share,
});
export type Transformer = ReturnType<typeof transformer>;

/**
 * Per halving of the pixel count, from `below` down to `downTo`, the log odds of `fakeMin` rise by `perHalving`, and
 * those of `realMax` fall by `realPerHalving`, which is 0 for models before trace-3 3.4.0.
 */
const sizeRegime = object({
  perHalving: number(0, 4),
  realPerHalving: orElse(number(0, 4), 0),
  below: whole(1, 1e9),
  downTo: whole(1, 1e9),
});
export type SizeRegime = ReturnType<typeof sizeRegime>;

const pictureSize: Reader<string> = (value, name) => {
  const size = text(value, name);
  if (/^\d+x\d+$/.test(size)) return size;
  throw damaged(`${name} is not a size such as 1408x768`);
};

const counted = object({ found: whole(0, 1e9), of: whole(1, 1e9) });

/** Sizes that generators give their pictures, and that photographs rarely or never have. The first match counts. */
const generatorSizes = object({
  /** How many times as probable such a size is taken to be in a generated picture as in a photograph. */
  ratio: number(1, 10),
  /** If the shorter side has at least this many pixels, the proportions are enough; if absent, the size must match. */
  leastSide: optional(whole(64, 1e5)),
  /** In how many sources, of all sources of a class, at least one picture has such a size. */
  sources: object({ generated: counted, photographs: counted }),
  /** Longer and shorter side in pixels, such as `1408x768`. */
  sizes: list(pictureSize),
});
export type GeneratorSizes = ReturnType<typeof generatorSizes>;

const imageManifest = object({
  ...identity,
  input: object({
    cellPx: whole(1, 256),
    patchCells: whole(1, 256),
    patchStrideCells: whole(1, 256),
    patchesRead: whole(1, 4096),
    name: fixed('rgb'),
    layout: fixed('NHWC'),
    dtype: fixed('uint8'),
  }),
  // The names of tensors, as in `networks.ts`.
  outputs: optional(
    object({
      model: fixed(['features']),
      head: fixed(['logits', 'embedding']),
      logits: fixed(['real', 'fake', 'compression']),
    }),
  ),
  views,
  /** Null if the patch network is the only network of the model. */
  transformer: orNull(transformer),
  dropout: object({ rate: number(0, 0.9), passes: whole(2, 1000) }),
  calibration: object({
    real: calibration,
    fake: calibration,
    compression: calibration,
    decision: calibration,
  }),
  thresholds: object({
    fakeMin,
    realMax: thresholds('increasing', 0, 0.5),
    traceMin: thresholds('decreasing', 0, 2),
    compressionMax: thresholds('increasing', 0, 1),
    anomalyMax: thresholds('increasing', 0, 1),
  }),
  /** Limits for a compression score of at least `from`; null if the same limits apply to all pictures. */
  compressedRegime: orNull(object({ from: share, fakeMin })),
  /** The same for pictures with fewer than `below` pixels; if both apply, the higher limit counts. */
  smallRegime: orNull(object({ below: whole(1, 1e9), fakeMin })),
  /** Null for models before trace-3 3.1.0, in which limits rise in a single step. */
  sizeRegime: orNull(sizeRegime),
  /** Empty for models before trace-3 3.3.0. */
  generatorSizes: orElse(list(generatorSizes), []),
  /** Empty if the model was not measured. Written by `npm run evaluate -- --record`. */
  measured: orElse(list(measuredCondition), []),
});

export interface ModelManifest extends Omit<ReturnType<typeof imageManifest>, 'outputs'> {
  readonly type: 'image';
}

function parseImageManifest(json: string): ModelManifest {
  const root = rootFields(json);
  if (root['type'] !== 'image') throw damaged('type is neither image nor localisation');
  if (root['votes'] !== undefined) {
    throw new ForensicsError(
      'model_integrity',
      'The model has a second network, votes.onnx, which this version does not run; forensics 0.1.0 does.',
    );
  }
  const { outputs: _checked, ...manifest } = imageManifest(root, 'manifest.json');
  return { ...manifest, files: withManifest(manifest.files, json), type: 'image' };
}

export type AnyManifest = ModelManifest | LocateManifest;

/** @throws {ForensicsError} `model_integrity` naming the first field that is missing or impossible. */
export function parseAnyManifest(json: string): AnyManifest {
  const { type } = rootFields(json);
  return type === 'localisation' ? parseLocateManifest(json) : parseImageManifest(json);
}
