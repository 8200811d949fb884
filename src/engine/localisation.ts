/** Combines the methods that look for local changes into one finding and one map, and numbers the places they mark. */

import type { Answer, ChangeEvidence, Finding, LocalisedFinding } from '../detectors/detector.ts';
import {
  type CellGrid,
  type CellMap,
  largestParts,
  type Region,
  type Size,
} from '../detectors/regions.ts';
import { changedWords } from '../detectors/words/changed-words.ts';
import { storedRgb, toUpright } from '../detectors/stored-plane.ts';
import { halvePixels, type Pixels } from '../image/pixels.ts';
import { inRows, type JpegStructure, lumaSteps } from '../image/jpeg-structure.ts';
import type { Picture } from '../image/picture.ts';
import { blockPx, type LocateManifest } from '../contract/manifest.ts';
import { boundedLogit, findQuantiles, sigmoid } from './calibration.ts';
import { ontoGrid } from './maps.ts';
import { coveringGrid, padToCells } from './patches.ts';
import type { LocateModel } from '../inference/networks.ts';
import type { Place } from '../detectors/result.ts';

interface Given {
  readonly facts: Size & { readonly jpeg: Pick<JpegStructure, 'quality'> | null };
  readonly answers: readonly Answer[];
  readonly grid: CellGrid;
  readonly manifest: Pick<LocateManifest, 'fusion' | 'thresholds'>;
}

export function localise({ facts, answers, grid, manifest }: Given) {
  const { fusion, thresholds } = manifest;
  const localised = answers.filter((answer) => 'finding' in answer);
  const methods: MethodMaps = Object.fromEntries(
    localised.map(({ finding, map }) => [finding.method, ontoGrid(map, grid)]),
  );
  // Size in doublings of 1 megapixel: -1 for half a megapixel, 1 for 2 megapixels.
  const doublings = Math.log2((facts.width * facts.height) / 1e6);
  // JPEG compression: 0 for lossless or quality 100, 1 for quality 0.
  const compression = (100 - (facts.jpeg?.quality?.value ?? 100)) / 100;
  const changed = fuseCells(fusion, methods, grid, doublings);
  const indicating = localised.filter(
    ({ finding: { speaksFor, strength, method } }) =>
      speaksFor === 'fake' && strength !== 'none' && isWeighed(method, fusion),
  );
  const strong = indicating.filter(({ finding }) => finding.strength !== 'weak');
  // Whether one finding is enough to suspect a change, even if the fusion suspects none.
  const { suspectAlone, weights, offset, ...slopes } = fusion.picture;
  const isSuspectedAlone = strong.some(({ finding }) => suspectAlone.includes(finding.method));
  const odds = answers
    .flatMap(findingsIn)
    .reduce(
      (sum, { method, score }) => sum + (weights[method] ?? 0) * boundedLogit(score),
      offset + slopes.perDoubling * doublings + slopes.compression * compression,
    );
  // Probability 0..1 that anything in the picture was changed.
  const probability = sigmoid(odds);
  const isSuspected = probability >= thresholds.suspectedMin.pedantic;
  // Every picture has regions that stand out, so the fused map is used only if the fusion suspects a change.
  const fused = isSuspected ? { ...grid, values: changed } : null;
  const places = isSuspected || isSuspectedAlone ? locatePlaces(fused, indicating, facts) : [];
  return {
    manipulation: {
      probability,
      region: places[0]?.region ?? null,
      methods: indicating.map(({ finding }) => finding.method),
      places,
    },
    change: {
      probability,
      indicating: indicating.length,
      isStrong: strong.length > 0,
      isSuspectedAlone,
      isWord: strong.some(({ finding }) => finding.method === changedWords.method),
    },
    suspicion: isSuspectedAlone ? 1 : Math.min(1, probability / thresholds.suspectedMin.default),
    changed,
    methods,
  };
}

/** The findings in a result; empty if the method was skipped. */
export function findingsIn(answer: Answer): readonly Finding[] {
  if ('reason' in answer) return [];
  return ['finding' in answer ? answer.finding : answer];
}

// Fuses all methods that look for local changes: a weighted sum of log odds, for each cell and for the whole picture.
// The weights were fitted on simulated changes (training command `locator-fuse`) and are in the manifest of the
// localisation network. A method without a map adds neutralLogit. Each cell is compared with the rest of the picture:
// the higher the picture's median and strongest cells, the higher the bar. In a large picture, more cells stand out by
// chance, so the bar and the picture's odds depend on its size; the odds also depend on its compression.

type Fusion = LocateManifest['fusion'];

/** Whether this method can influence a verdict. */
export function isWeighed(method: string, { places, picture }: Fusion): boolean {
  return method in places.weights || method in picture.weights;
}

/** One map per method, all on the same grid. */
type MethodMaps = Readonly<Record<string, Float32Array>>;

/** The quantile that represents the strongest cells of a picture; `locator-fuse` uses the same value. */
const strongestShare = 0.99;

/** Probability 0..1 that each cell was changed. */
function fuseCells(
  { places }: Fusion,
  maps: MethodMaps,
  { columns, rows }: CellGrid,
  doublings: number,
): Float32Array {
  const sums = new Float64Array(columns * rows);
  for (const [method, { weight, rest }] of Object.entries(places.weights)) {
    const map = maps[method];
    if (map === undefined) continue;
    const neutralLogit = boundedLogit(rest);
    for (let cell = 0; cell < sums.length; cell++) {
      sums[cell]! += weight * (boundedLogit(map[cell]!) - neutralLogit);
    }
  }
  // The picture's own median and strongest cells raise the bar for every cell.
  const { level: raised } = places;
  const [middle = 0, strongest = 0] = findQuantiles(sums, [0.5, strongestShare]);
  const level =
    raised.middle * middle +
    raised.strongest * strongest +
    raised.perDoubling * doublings -
    places.offset;
  return new Float32Array(sums.map((sum) => sigmoid(sum - level)));
}

/** Runs the network on the stored pixels, whose JPEG blocks start at the corner, and rotates the maps upright. */
export async function readChanges(picture: Picture, locator: LocateModel): Promise<ChangeEvidence> {
  const { facts } = picture;
  const { cellPx, maxPixels } = locator.manifest.input;
  const { storedWidth: width, storedHeight: height } = facts;
  let pixels: Pixels = { width, height, rgb: storedRgb(picture) };
  let halvings = 0;
  for (; pixels.width * pixels.height > maxPixels; halvings++) {
    pixels = halvePixels({ rgb: pixels.rgb, facts: pixels });
  }
  // Halved pixels have no JPEG block grid, so the quantisation steps in the file would mislead the network.
  const steps = halvings === 0 && facts.jpeg ? lumaSteps(facts.jpeg) : null;
  const table = steps && inRows(steps);
  const { columns, rows, changed, trust, score } = await locate(locator, pixels, table);
  const toMap = (logits: Float32Array): CellMap => {
    const map = { cellPx: cellPx << halvings, columns, rows, values: logits.map(sigmoid) };
    return toUpright(map, facts);
  };
  return { score, changed: toMap(changed), trust: toMap(trust) };
}

/** EXIF orientations that only mirror the picture; each of them is its own inverse. */
const mirrorings = [1, 2, 4, 3] as const;

/** Mirror images are read too, as in training, if all together have at most this many pixels. */
const mirroredPixels = 1 << 20;

/** Traces survive mirroring, but the network's output varies a little: the mean of several is more accurate. */
async function locate(locator: LocateModel, pixels: Pixels, table: readonly number[] | null) {
  const shown = mirrorings.slice(0, Math.floor(mirroredPixels / (pixels.width * pixels.height)));
  if (shown.length < 2) return locator.locate(pixels, table);
  // Only whole blocks, so that a block starts at every corner.
  const blocks = coveringGrid(pixels, blockPx);
  const rgb = padToCells({ rgb: pixels.rgb, facts: pixels }, blockPx);
  const [width, height] = [blockPx * blocks.columns, blockPx * blocks.rows];
  const { cellPx } = locator.manifest.input;
  const [columns, rows] = [width / cellPx, height / cellPx];
  const views = shown.map((orientation) => ({ width, height, storedWidth: width, orientation }));
  // All at once, so that the network's thread does not wait for this one between them.
  const answers = await Promise.all(
    views.map((facts) => locator.locate({ width, height, rgb: storedRgb({ facts, rgb }) }, table)),
  );
  const meanMap = (name: 'changed' | 'trust') => {
    const sums = new Float32Array(columns * rows);
    for (const [at, answer] of answers.entries()) {
      const map = toUpright({ cellPx, columns, rows, values: answer[name] }, views[at]!);
      map.values.forEach((value, cell) => (sums[cell]! += value / answers.length));
    }
    return sums;
  };
  const score = answers.reduce((sum, answer) => sum + answer.score / answers.length, 0);
  return { columns, rows, changed: meanMap('changed'), trust: meanMap('trust'), score };
}

/** Minimum value of a marked cell. In the map of a single method, 0.5 is neutral. */
const markedFrom = { fusion: 0.5, method: 0.51 } as const;

/**
 * The fusion's region, then those of each method; a place is shown under its number in this order.
 *
 * @param fused - probability that each cell was changed; null if the fusion suspects no change.
 */
function locatePlaces(fused: CellMap | null, indicating: readonly LocalisedFinding[], size: Size) {
  const found: readonly Place[] = [
    ...(fused === null ? [] : largestParts(fused, markedFrom.fusion, size, 1)).map((region) => ({
      region,
      methods: [],
    })),
    ...indicating
      .toSorted((one, other) => other.finding.score - one.finding.score)
      .flatMap((one) =>
        partsOf(one, size).map((region) => ({ region, methods: [one.finding.method] })),
      ),
  ];
  return found.reduce<readonly Place[]>(joined, []);
}

/** A copy is about as large as its source, so a much smaller second group is a fragment of one of them. */
const minShareOfCopy = 0.25;

/** The largest group of the map or, for copied parts, the two largest. */
function partsOf({ finding: { method }, map, copies }: LocalisedFinding, size: Size) {
  const most = copies?.length ?? 1;
  const [one, other] = largestParts(map, markedMin(method, map), size, most);
  if (one === undefined) return [];
  if (copies === undefined) return [one];
  return other && other.share >= minShareOfCopy * one.share ? [one, other] : copies;
}

/** A copy-move finding describes only the most likely pair, because regions of different pairs are not copies. */
function markedMin(method: string, { values }: CellMap): number {
  if (method !== 'copy-move') return markedFrom.method;
  return values.reduce((most, value) => Math.max(most, value), markedFrom.method);
}

/** Merges different methods' marks at the same place, but not a copy and its source, although equally large. */
function joined(places: readonly Place[], { region, methods }: Place): readonly Place[] {
  const at = places.findIndex(
    (place) =>
      isSamePlace(place.region, region) && !methods.some((one) => place.methods.includes(one)),
  );
  const place = places[at];
  if (place === undefined) return [...places, { region, methods }];
  return places.with(at, {
    region: methods.includes('copy-move') ? region : place.region,
    methods: [...new Set([...place.methods, ...methods])],
  });
}

/** Two marks count as the same place if their overlap is at least this share of the smaller box. */
const minOverlap = 0.5;

function isSamePlace(one: Region, other: Region): boolean {
  const across =
    Math.min(one.left + one.width, other.left + other.width) - Math.max(one.left, other.left);
  const down =
    Math.min(one.top + one.height, other.top + other.height) - Math.max(one.top, other.top);
  const smaller = Math.min(one.width * one.height, other.width * other.height);
  return across > 0 && down > 0 && across * down >= minOverlap * smaller;
}
