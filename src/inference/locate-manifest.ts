/** The manifest of a localisation model. Each field is declared once, with its bounds. */

import {
  damaged,
  fields,
  fixed,
  heldOutRatios,
  identity,
  list,
  matching,
  named,
  number,
  object,
  optional,
  orElse,
  type Reader,
  rootFields,
  share,
  text,
  thresholds,
  weight,
  whole,
  withManifest,
} from './fields.ts';

/** The localisation network processes blocks of this side in pixels, which the side of a cell must divide. */
export const blockPx = 8;

const methodName = /^[a-z][a-zA-Z0-9.-]{0,63}$/;

/** How well the fused map marked changed pixels in pictures on which nothing was fitted. */
const measuredLocalisation = object({
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

/** Verdicts under the default strategy. */
const verdictCounts = { pictures: whole(1, 1e9), called: whole(0, 1e9), suspected: whole(0, 1e9) };

const callFields = object({
  condition: text,
  /** The range of picture sizes, in megapixels; if absent, all sizes. */
  megapixels: optional(megapixels),
  /** Number of changed pictures (without a size, only those that people changed) and of unchanged photographs. */
  changed: whole(1, 1e9),
  photographs: whole(1, 1e9),
  /** How many of these were called manipulated. */
  strategies: object({ pedantic: callCounts, default: callCounts, relaxed: callCounts }),
  /** Absent in older manifests, and if a size is stated. */
  ratios: optional(heldOutRatios),
  /** For pictures with one kind of change, and for those that nobody changed. */
  kinds: optional(list(object({ kind: changeKind, ...verdictCounts }))),
  unchanged: optional(object(verdictCounts)),
});
export type MeasuredCalls = ReturnType<typeof callFields>;

/** How often pictures were called manipulated, among pictures on which nothing was fitted. */
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
  manipulatedMin: thresholds('decreasing', 0.5, 1),
  suspectedMin: thresholds('increasing', 0, 1),
});

const locateManifest = object({
  ...identity,
  outputs: fixed(['changed', 'trust', 'score']),
  input: object({
    /** Side in pixels of the square that each map value covers; it divides the network's blocks of 8 pixels. */
    cellPx,
    /** The network reads the whole picture at once, so a larger one is halved until it fits. */
    maxPixels: whole(65_536, 1e8),
  }),
  /** Limits on the probability of a change: manipulated from `manipulatedMin`, never real from `suspectedMin`. */
  thresholds: (value, name) => {
    const read = locateThresholds(value, name);
    // One limit falls and the other rises, so it is enough to check their order under the last
    // strategy, where they are closest.
    if (read.suspectedMin.relaxed <= read.manipulatedMin.relaxed) return read;
    throw damaged(`${name}.suspectedMin is above manipulatedMin`);
  },
  /** How the fusion combines all methods that look for changes; see `engine/localisation.ts`. */
  fusion: object({
    places: object({
      offset: weight,
      /**
       * Subtracted from each cell: shares, 0..1, of the picture's median and strongest cells, and log odds for each
       * doubling of a megapixel. Absent in version 1.0.0.
       */
      level: orElse(object({ middle: share, strongest: share, perDoubling: orElse(weight, 0) }), {
        middle: 0,
        strongest: 0,
        perDoubling: 0,
      }),
      weights: named(methodName, object({ weight, rest: share })),
    }),
    picture: object({
      offset: weight,
      /** Log odds for each doubling of a megapixel, and for quality 0 relative to 100. Absent before version 1.2.0. */
      perDoubling: orElse(weight, 0),
      compression: orElse(weight, 0),
      weights: named(methodName, weight),
      /** Methods that can raise a suspicion alone. Absent before version 2.4.0. */
      suspectAlone: orElse(list(matching(methodName, 'a method')), []),
    }),
  }),
  /** Empty if the model was not measured. */
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
