/**
 * The manifests of model folders and the statistics of image models: each field is declared once, with its bounds. A
 * manifest is the only thing that is believed about a model, and only after the hashes of its files were checked.
 */

import { createHash } from 'node:crypto';
import { ForensicsError } from '../errors.ts';
import {
  damaged,
  date,
  fields,
  fixed,
  list,
  matching,
  named,
  number,
  object,
  optional,
  orElse,
  orNull,
  parseModelJson,
  type Reader,
  text,
  whole,
} from './fields.ts';

/** The localisation network reads blocks of this side, so its cells have to fill them. */
export const blockPx = 8;

const share = number(0, 1);

/** More than any weight that a fit gives: log odds of a method are at most 4. */
const weight = number(-1000, 1000);

// Numbers for each decision strategy.

const strategyNumbers = (min: number, max: number) => {
  const limit = number(min, max);
  return object({ pedantic: limit, default: limit, relaxed: limit });
};
export type StrategyThresholds = ReturnType<ReturnType<typeof strategyNumbers>>;

/** The order of the strategies makes their decided pictures subsets of each other: a model that breaks it is refused. */
function thresholds(
  order: 'falling' | 'rising',
  min: number,
  max: number,
): Reader<StrategyThresholds> {
  return (value, name) => {
    const read = strategyNumbers(min, max)(value, name);
    const sign = order === 'rising' ? 1 : -1;
    if (sign * (read.default - read.pedantic) >= 0 && sign * (read.relaxed - read.default) >= 0) {
      return read;
    }
    throw damaged(`${name} is not ${order} from pedantic to relaxed`);
  };
}

const fakeMin = thresholds('falling', 0.5, 1);

// Who the model is, and of which files it is made.

const identity = {
  id: matching(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'an identifier'),
  version: text,
  created: date,
  /** All of the folder that decide anything, the manifest itself among them. */
  files: named(
    /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/,
    object({ sha256: matching(/^[0-9a-f]{64}$/, 'a SHA-256'), bytes: whole(1, 2 ** 31) }),
  ),
};

// Image models, which separate generated pictures from photographs.

/** A falling scale would turn real into fake, so scales are positive. */
const calibration = object({ scale: number(1e-6, 1e3), offset: number(-1e3, 1e3) });
export type Calibration = ReturnType<typeof calibration>;

const measuredRates = object({
  /** Of all pictures. */
  decided: share,
  /** Of all photographs. */
  realCalledFake: share,
  /** Of all generated pictures. */
  fakeCalledReal: share,
  /** Of all photographs, and of all generated pictures; absent in manifests that did not record them. */
  realCalledReal: optional(share),
  fakeCalledFake: optional(share),
});
export type MeasuredRates = ReturnType<typeof measuredRates>;

/** Longer sides of the pictures in pixels. */
const longerSides: Reader<readonly [min: number, max: number]> = (value, name) => {
  const [min, max]: unknown[] = Array.isArray(value) ? value : [];
  const from = whole(1, 1e6)(min, `${name}[0]`);
  return [from, whole(from, 1e6)(max, `${name}[1]`)];
};

/** Log10 of likelihood ratios, rising: the least, one at every twentieth of the pictures, the greatest. */
const tippettPoints: Reader<readonly number[]> = (value, name) => {
  const read = list(number(-100, 100))(value, name);
  if (read.length === 21 && read.every((one, at) => one >= (read[at - 1] ?? -100))) return read;
  throw damaged(`${name} is not 21 rising numbers`);
};

/** Likelihood ratios of pictures that nothing was fitted on. `npm run evaluate -- --ratios` writes it. */
const heldOutRatios = object({
  recorded: date,
  /** What the stated probability assumes before anything is seen. */
  prior: number(0.001, 0.999),
  /** Pictures of which the proposition is true, and of which it is not. */
  supporting: whole(1, 1e9),
  opposing: whole(1, 1e9),
  /** What the probability was calibrated on. */
  calibration: object({ pictures: whole(1, 1e9), sources: whole(1, 1e9) }),
  /** Mean cost of the log likelihood ratios in bits: 0 is perfect, and 1 says nothing. */
  cllr: number(0, 100),
  /** Empirical lower and upper bound: ratios beyond them are not borne out by so many pictures. */
  lower: number(1e-9, 1),
  upper: number(1, 1e9),
  tippett: object({ supporting: tippettPoints, opposing: tippettPoints }),
});
export type HeldOutRatios = ReturnType<typeof heldOutRatios>;

/**
 * What the shipped weights and thresholds did with labelled pictures that neither was fitted on, all given one history.
 * Shares are 0..1.
 */
const measuredCondition = object({
  /** The history: `as is`, `jpeg 75`, ... */
  condition: text,
  /** How many photographs and generated pictures. */
  real: whole(0, 1e9),
  fake: whole(0, 1e9),
  /** Absent in manifests that did not record them. */
  longerSidePx: optional(longerSides),
  /** Area under the ROC curve, and its 95 % interval over sources. */
  auc: share,
  aucLow: share,
  aucHigh: share,
  strategies: object({ pedantic: measuredRates, default: measuredRates, relaxed: measuredRates }),
  /** Absent in manifests that did not record them. */
  ratios: optional(heldOutRatios),
});
export type MeasuredCondition = ReturnType<typeof measuredCondition>;

/** A picture is read in one run of the network, whose working space this bounds: some 150 MB a megapixel. */
const maxReadPixels = 4_000_000;

const viewFields = object({
  /** A larger picture is scaled to this many pixels, and its patches are of that. */
  mostPixels: whole(65_536, maxReadPixels),
  /** Of a picture that was scaled, so many squares of its own pixels are read as well. */
  tilePx: whole(32, 4096),
  tiles: whole(0, 4096),
  /** Longer side of the view of the whole picture. */
  wholePx: whole(32, 4096),
  /** What the mean logits of each count, together 1. Without tiles the patches count for both. */
  weights: object({ patches: share, tiles: share, whole: share }),
});
export type Views = ReturnType<typeof viewFields>;

/** What is read of a picture at a bounded cost, see `engine/views.ts`. */
const views: Reader<Views> = (value, name) => {
  const read = viewFields(value, name);
  const { patches, tiles, whole: all } = read.weights;
  if (Math.abs(patches + tiles + all - 1) > 1e-9) {
    throw damaged(`${name}.weights do not add up to 1`);
  }
  return read;
};

/**
 * A second network, `transformer.onnx`, that reads the whole picture squeezed to a square, and squares of its own pixels; see
 * `engine/transformer.ts`.
 */
const transformer = object({
  /** Of the squares. They begin at multiples of `stepPx` and do not overlap; the most textured ones are read. */
  sidePx: whole(32, 1024),
  stepPx: whole(8, 1024),
  squares: whole(0, 16),
  /** What its answers add to the log odds of *fake* of the patches, all before calibration. */
  weights: object({ view: weight, squares: weight }),
  /** A picture that looks less like a photograph than this, 0..1, is not judged as one. */
  photographMin: share,
});
export type Transformer = ReturnType<typeof transformer>;

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
  // What `networks.ts` calls its tensors.
  outputs: optional(
    object({
      model: fixed(['features']),
      head: fixed(['logits', 'embedding']),
      logits: fixed(['real', 'fake', 'compression']),
    }),
  ),
  views,
  /** Null for a model whose only network is that of the patches. */
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
    realMax: thresholds('rising', 0, 0.5),
    traceMin: thresholds('falling', 0, 2),
    compressionMax: thresholds('rising', 0, 1),
    anomalyMax: thresholds('rising', 0, 1),
  }),
  /**
   * Limits of its own for pictures whose compression score is `from` or more, where real pictures look more generated;
   * null where one limit fits all.
   */
  compressedRegime: orNull(object({ from: share, fakeMin })),
  /** The same for pictures of fewer than `below` pixels; a picture that both fit is held to the higher limit. */
  smallRegime: orNull(object({ below: whole(1, 1e9), fakeMin })),
  /** Empty for a model that was not measured. `npm run evaluate -- --record` writes it. */
  measured: orElse(list(measuredCondition), []),
});

export interface ModelManifest extends Omit<ReturnType<typeof imageManifest>, 'outputs'> {
  readonly type: 'image';
}

/** @throws {ForensicsError} `model_integrity` naming the first field that is missing or impossible. */
export function parseManifest(json: string): ModelManifest {
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

// Localisation models, which locate changes in a picture.

const methodName = /^[a-z][a-zA-Z0-9.-]{0,63}$/;

/** How well the fused map marked what was changed, on pictures that nothing was fitted on. */
const measuredLocalisation = object({
  /** Data set, or kind of change. */
  set: text,
  condition: text,
  pictures: whole(0, 1e9),
  /** Mean F1 over pixels: at each picture's best threshold with its 95 % interval, and at 0.5. */
  f1Best: share,
  f1Low: share,
  f1High: share,
  f1Half: share,
  /** Mean area under the ROC curve over pixels. */
  pixelAuc: share,
});
export type MeasuredLocalisation = ReturnType<typeof measuredLocalisation>;

const megapixels: Reader<{ readonly from: number; readonly below: number | null }> = (
  value,
  name,
) => {
  const { from, below } = fields(value, name);
  const least = number(0, 1e6)(from, `${name}.from`);
  return {
    from: least,
    below: below === null ? null : number(least, 1e6)(below, `${name}.below`),
  };
};

const callCounts = object({ changed: whole(0, 1e9), photographs: whole(0, 1e9) });
export const changeKinds = ['splice', 'copy-move', 'removal', 'regenerated'] as const;
export type ChangeKind = (typeof changeKinds)[number];

const changeKind: Reader<ChangeKind> = (value, name) => {
  const found = changeKinds.find((kind) => kind === value);
  if (found !== undefined) return found;
  throw damaged(`${name} is not a kind of change`);
};

/** What became of pictures with one kind of change, under the default strategy. */
const kindCounts = object({
  kind: changeKind,
  pictures: whole(1, 1e9),
  called: whole(0, 1e9),
  suspected: whole(0, 1e9),
});

const callFields = object({
  condition: text,
  /** Of pictures of this size alone; without it of every size. */
  megapixels: optional(megapixels),
  /** Pictures with a changed part, changed by people alone where no size is given; and unchanged photographs. */
  changed: whole(1, 1e9),
  photographs: whole(1, 1e9),
  /** How many of them were called manipulated. */
  strategies: object({ pedantic: callCounts, default: callCounts, relaxed: callCounts }),
  /** Absent in manifests that did not record them, and where a size is given. */
  ratios: optional(heldOutRatios),
  kinds: optional(list(kindCounts)),
});
export type MeasuredCalls = ReturnType<typeof callFields>;

/** How often a verdict was that something was changed, on pictures that nothing was fitted on. */
const measuredCalls: Reader<MeasuredCalls> = (value, name) => {
  const read = callFields(value, name);
  for (const [strategy, { changed, photographs }] of Object.entries(read.strategies)) {
    if (changed <= read.changed && photographs <= read.photographs) continue;
    throw damaged(`${name}.strategies.${strategy} counts more pictures than there were`);
  }
  return read;
};

const cellPx: Reader<number> = (value, name) => {
  const read = whole(1, blockPx)(value, name);
  if (blockPx % read === 0) return read;
  throw damaged(`${name} does not divide ${blockPx}`);
};

const locateThresholds = object({
  manipulatedMin: thresholds('falling', 0.5, 1),
  suspectedMin: thresholds('rising', 0, 1),
});

const locateManifest = object({
  ...identity,
  outputs: fixed(['changed', 'trust', 'score']),
  input: object({
    /** One value of the maps stands for a square of this side; a divisor of 8, on whose blocks the network works. */
    cellPx,
    /** The network sees the whole picture at once: a larger one is halved until it fits. */
    maxPixels: whole(65_536, 1e8),
  }),
  /** For the probability that something was changed: from where on that is the verdict, and from where on nothing else is. */
  thresholds: (value, name) => {
    const read = locateThresholds(value, name);
    // One falls and one rises: where they are nearest, under the last strategy, the order has to hold.
    if (read.suspectedMin.relaxed <= read.manipulatedMin.relaxed) return read;
    throw damaged(`${name}.suspectedMin is above manipulatedMin`);
  },
  /** How the answers of all methods that look for changes are combined; see `engine/localisation.ts`. */
  fusion: object({
    places: object({
      offset: weight,
      /**
       * Shares 0..1 of the picture's median and of its strongest places that are taken from every place, and log odds for each
       * doubling of a megapixel. Absent in manifests of version 1.0.0, whose level is the same for every picture.
       */
      level: orElse(object({ middle: share, strongest: share, perDoubling: orElse(weight, 0) }), {
        middle: 0,
        strongest: 0,
        perDoubling: 0,
      }),
      /** By method. */
      weights: named(methodName, object({ weight, rest: share })),
    }),
    picture: object({
      offset: weight,
      /**
       * Log odds for each doubling of a megapixel, and between quality 100 and 0. Absent before version 1.2.0, which judged
       * every size and quality alike.
       */
      perDoubling: orElse(weight, 0),
      compression: orElse(weight, 0),
      /** By method. */
      weights: named(methodName, weight),
    }),
  }),
  /** Empty for a model that was not measured. */
  measured: orElse(list(measuredLocalisation), []),
  called: orElse(list(measuredCalls), []),
});

export interface LocateManifest extends Omit<ReturnType<typeof locateManifest>, 'outputs'> {
  readonly type: 'localisation';
}

/** @throws {ForensicsError} `model_integrity` naming the first field that is missing or impossible. */
export function parseLocateManifest(json: string): LocateManifest {
  const manifest = locateManifest(rootFields(json), 'manifest.json');
  return { ...manifest, files: withManifest(manifest.files, json), type: 'localisation' };
}

export type AnyManifest = ModelManifest | LocateManifest;

/** @throws {ForensicsError} `model_integrity` naming the first field that is missing or impossible. */
export function parseAnyManifest(json: string): AnyManifest {
  const { type } = rootFields(json);
  return type === 'localisation' ? parseLocateManifest(json) : parseManifest(json);
}

function rootFields(json: string) {
  return fields(parseModelJson(json, 'manifest.json'), 'manifest.json');
}

/** Thresholds and calibration decide no less than weights do, so the manifest is a file of its model like the others. */
function withManifest(files: AnyManifest['files'], json: string): AnyManifest['files'] {
  const bytes = Buffer.from(json);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { ...files, 'manifest.json': { sha256, bytes: bytes.length } };
}

// Reference statistics of the embedding, `statistics.json` of the folder of an image model.

const statistics = (dimension: number) =>
  object({
    embedding: object({
      dimension: whole(1, 4096),
      mean: vector(dimension),
      /** Row-major `dimension * dimension`: the squared distance of e is |W (e - mean)|^2. */
      whitening: vector(dimension ** 2),
    }),
    /** 101 quantiles, 0..100 %, of patch distances and of picture means on sources unseen in training. */
    distanceQuantiles: quantiles,
    pictureDistanceQuantiles: quantiles,
    prototypes: object({ realCompressed: vector(dimension), fakeCompressed: vector(dimension) }),
  });
export type EmbeddingStatistics = ReturnType<ReturnType<typeof statistics>>;

/** @throws {ForensicsError} `model_integrity` when a vector has the wrong length or quantiles do not rise. */
export function parseStatistics(json: string): EmbeddingStatistics {
  const root = fields(parseModelJson(json, 'statistics.json'), 'statistics.json');
  const { dimension } = fields(root['embedding'], 'embedding');
  return statistics(whole(1, 4096)(dimension, 'embedding.dimension'))(root, 'statistics.json');
}

function vector(length: number): Reader<readonly number[]> {
  return (value, name) => {
    if (!Array.isArray(value) || value.length !== length) {
      throw damaged(`${name} does not have ${length} numbers`);
    }
    return list(number(-1e12, 1e12))(value, name);
  };
}

const quantiles: Reader<readonly number[]> = (value, name) => {
  const read = vector(101)(value, name);
  if (read.every((entry, at) => at === 0 || entry >= read[at - 1]!)) return read;
  throw damaged(`${name} is not rising`);
};
