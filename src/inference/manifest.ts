/**
 * The manifest of an image model, which separates generated pictures from photographs: each field is declared once, with its bounds. A
 * manifest is the only thing that is believed about a model, and only after the hashes of its files were checked.
 */

import { ForensicsError } from '../errors.ts';
import {
  damaged,
  fixed,
  list,
  number,
  object,
  optional,
  orElse,
  orNull,
  type Reader,
  text,
  whole,
} from './fields.ts';
import { type LocateManifest, parseLocateManifest } from './locate-manifest.ts';
import {
  share,
  weight,
  thresholds,
  fakeMin,
  identity,
  heldOutRatios,
  rootFields,
  withManifest,
} from './manifest-parts.ts';

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

export type AnyManifest = ModelManifest | LocateManifest;

/** @throws {ForensicsError} `model_integrity` naming the first field that is missing or impossible. */
export function parseAnyManifest(json: string): AnyManifest {
  const { type } = rootFields(json);
  return type === 'localisation' ? parseLocateManifest(json) : parseManifest(json);
}
