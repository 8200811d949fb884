/** Whether two pictures show the same thing, told by their keypoints, and how the one lies on the other. */

import { type Fingerprint, type Keypoint, mirrorKey } from './keypoints.ts';

/** Leads from one picture to the other: `x' = scale * x + left`, after the first was mirrored where `isMirrored`. */
export interface Alignment {
  readonly isMirrored: boolean;
  /** Lengths and offsets in shares of the longer side of each picture. */
  readonly scale: number;
  readonly left: number;
  readonly top: number;
  /** Keypoints that lie where they should and look as they should. */
  readonly matches: number;
  /** Their share of those that the pictures' common part has. */
  readonly share: number;
}

/** Bits that may differ in two keys of the same spot. */
const maxBits = 8;
/** Shares of the longer side: as far as a spot may lie from where it should. */
const tolerance = 0.02;
/** Factors between which copies are scaled. */
const minScale = 0.15;
const maxScale = 1 / minScale;
/** How far the sizes of two spots may differ from the scale of the alignment. */
const maxSizeRatio = 1.5;
/** Pairs of spots that are tried as the start of an alignment, the most alike first. */
const triedPairs = 20;
/** An alignment that fewer pairs agree with is not refined. */
const minRough = 4;
/** Agreement that no other alignment will surpass by much. */
const enoughMatches = 30;
/** Below either, likeness is chance, or a frame that two screenshots have in common. */
const minMatches = 8;
const minShare = 0.1;

/** Null when they have too little in common to be the same. */
export function align(one: Fingerprint, other: Fingerprint): Alignment | null {
  const width = one.width / Math.max(one.width, one.height);
  const upright = bestAlignment(one.keypoints, other);
  const turned = bestAlignment(
    one.keypoints.map((spot) => ({ ...spot, x: width - spot.x, key: mirrorKey(spot.key) })),
    other,
  );
  const isMirrored = turned.pairs.length > upright.pairs.length;
  const { pairs, map, share } = isMirrored ? turned : upright;
  if (pairs.length < minMatches || share < minShare) return null;
  return { isMirrored, ...map, matches: pairs.length, share };
}

type Pair = readonly [Keypoint, Keypoint];
interface Map {
  readonly scale: number;
  readonly left: number;
  readonly top: number;
}

interface Fit {
  readonly map: Map;
  readonly pairs: readonly Pair[];
  /** The first of each pair. */
  readonly spots: ReadonlySet<Keypoint>;
  readonly share: number;
}

const noFit: Fit = {
  map: { scale: 1, left: 0, top: 0 },
  pairs: [],
  spots: new Set(),
  share: 0,
};

/** Each two of the most similar pairs give a scale and an offset; the one that most others agree with wins. */
function bestAlignment(keypoints: readonly Keypoint[], other: Fingerprint): Fit {
  const alike = similarPairs(keypoints, other.keypoints).slice(0, triedPairs);
  let best = noFit;
  for (const [n, first] of alike.entries()) {
    for (const second of alike.slice(n + 1)) {
      // They would lead to the same again.
      if (best.spots.has(first[0]) && best.spots.has(second[0])) continue;
      const map = fitMap([first, second]);
      if (map === null || ![first, second].every((pair) => isOfScale(pair, map.scale))) continue;
      const rough = collect(keypoints, other, map);
      const refined = rough.pairs.length < minRough ? null : fitMap(rough.pairs);
      if (refined === null) continue;
      const fit = collect(keypoints, other, refined);
      if (fit.pairs.length > best.pairs.length) best = fit;
      if (best.pairs.length >= enoughMatches) return best;
    }
  }
  return best;
}

function similarPairs(keypoints: readonly Keypoint[], others: readonly Keypoint[]): Pair[] {
  const found: { readonly pair: Pair; readonly bits: number }[] = [];
  for (const keypoint of keypoints) {
    for (const other of others) {
      const bits = differingBits(keypoint.key, other.key);
      if (bits <= 3) found.push({ pair: [keypoint, other], bits });
    }
  }
  return found.toSorted((one, two) => one.bits - two.bits).map(({ pair }) => pair);
}

/** By least squares; null where they lie too close together or no copy is scaled so much. */
function fitMap(pairs: readonly Pair[]): Map | null {
  const mean = (read: (pair: Pair) => number) =>
    pairs.reduce((sum, pair) => sum + read(pair), 0) / pairs.length;
  const [x, y] = [mean(([one]) => one.x), mean(([one]) => one.y)];
  const [otherX, otherY] = [mean(([, other]) => other.x), mean(([, other]) => other.y)];
  const spread = mean(([one]) => (one.x - x) ** 2 + (one.y - y) ** 2);
  if (!(spread > tolerance ** 2)) return null;
  const common = mean(
    ([one, other]) => (one.x - x) * (other.x - otherX) + (one.y - y) * (other.y - otherY),
  );
  const scale = common / spread;
  if (!(scale > minScale && scale < maxScale)) return null;
  return { scale, left: otherX - scale * x, top: otherY - scale * y };
}

/** The pairs that agree with a map: each spot of the other picture once. */
function collect(
  keypoints: readonly Keypoint[],
  { width, height, keypoints: others }: Fingerprint,
  map: Map,
): Fit {
  const longer = Math.max(width, height);
  const near = tolerance * Math.max(1, map.scale);
  const pairs: Pair[] = [];
  const taken = new Set<Keypoint>();
  let inside = 0;
  for (const keypoint of keypoints) {
    const x = map.scale * keypoint.x + map.left;
    const y = map.scale * keypoint.y + map.top;
    if (x < 0 || y < 0 || x > width / longer || y > height / longer) continue;
    inside++;
    let nearest: Keypoint | null = null;
    let fewest = maxBits + 1;
    for (const other of others) {
      if (Math.abs(other.x - x) > near || Math.abs(other.y - y) > near) continue;
      if (taken.has(other) || !isOfScale([keypoint, other], map.scale)) continue;
      const bits = differingBits(keypoint.key, other.key);
      if (bits < fewest) [nearest, fewest] = [other, bits];
    }
    if (nearest === null) continue;
    taken.add(nearest);
    pairs.push([keypoint, nearest]);
  }
  const spots = new Set(pairs.map(([spot]) => spot));
  return { map, pairs, spots, share: pairs.length / Math.max(1, inside) };
}

function isOfScale([one, other]: Pair, scale: number): boolean {
  const ratio = other.size / (one.size * scale);
  return ratio < maxSizeRatio && ratio > 1 / maxSizeRatio;
}

function differingBits(one: number, other: number): number {
  let bits = one ^ other;
  bits -= (bits >>> 1) & 0x55555555;
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
