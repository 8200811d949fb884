/** Determines from keypoints whether two pictures show the same thing, and how the first maps onto the second. */

import type { SeenBefore } from '../contract/seen-before.ts';
import { type Fingerprint, type Keypoint, mirrorKey } from './keypoints.ts';

/** How one picture maps onto the other. */
export interface Alignment extends NonNullable<SeenBefore['alignment']> {
  /** Number of keypoints that match in position and appearance. */
  readonly matches: number;
  /** Matches as a share of the keypoints in the area that both pictures show. */
  readonly share: number;
}

/** Maximum number of differing bits between two keys of the same spot. */
const maxBits = 8;
/** Maximum distance from the expected position, as a share of the longer side. */
const tolerance = 0.02;
/** Range of scale factors between copies. */
const minScale = 0.15;
const maxScale = 1 / minScale;
/** Maximum factor between the size ratio of two spots and the scale of the alignment. */
const maxSizeRatio = 1.5;
/** Number of pairs, the most similar ones, with which an alignment is tried. */
const triedPairs = 20;
/** Minimum number of pairs that must agree before an alignment is refined. */
const minRough = 4;
/** Number of matches at which the search stops, because no other alignment would be much better. */
const enoughMatches = 30;
/** Below either limit, a match may be chance, or a frame that two screenshots have in common. */
const minMatches = 8;
const minShare = 0.1;
/** Fewer matches than this need a higher share: letters on receipts, or faces in the same pose, match by chance. */
const manyMatches = 22;
const minShareOfFew = 0.16;

/** Null if the pictures have too little in common to show the same thing. */
export function align(one: Fingerprint, other: Fingerprint): Alignment | null {
  const width = one.width / Math.max(one.width, one.height);
  const upright = bestAlignment(one.keypoints, other);
  const turned = bestAlignment(
    one.keypoints.map((spot) => ({ ...spot, x: width - spot.x, key: mirrorKey(spot.key) })),
    other,
  );
  const isMirrored = turned.pairs.length > upright.pairs.length;
  const { pairs, map, share } = isMirrored ? turned : upright;
  const leastShare = pairs.length < manyMatches ? minShareOfFew : minShare;
  if (pairs.length < minMatches || share < leastShare) return null;
  return { isMirrored, ...map, matches: pairs.length, share };
}

type Pair = readonly [Keypoint, Keypoint];
type Map = Pick<Alignment, 'scale' | 'left' | 'top'>;

interface Fit {
  readonly map: Map;
  readonly pairs: readonly Pair[];
  /** The first keypoint of each pair. */
  readonly spots: ReadonlySet<Keypoint>;
  readonly share: number;
}

const noFit: Fit = { map: { scale: 1, left: 0, top: 0 }, pairs: [], spots: new Set(), share: 0 };

/** Two pairs determine a scale and an offset; those of the most similar pairs on which most others agree are chosen. */
function bestAlignment(keypoints: readonly Keypoint[], other: Fingerprint): Fit {
  const pairs = similarPairs(keypoints, other.keypoints);
  const similar = pairs.slice(0, triedPairs);
  const across = { ...other, keypoints: other.keypoints.toSorted((a, b) => a.x - b.x) };
  let best = noFit;
  for (const [n, first] of similar.entries()) {
    for (const second of similar.slice(n + 1)) {
      // These two pairs would give the same alignment again.
      if (best.spots.has(first[0]) && best.spots.has(second[0])) continue;
      const map = fitMap([first, second]);
      if (map === null || ![first, second].every((pair) => matchesScale(pair, map.scale))) continue;
      // Without a third pair it is chance, as between most pictures; this check is cheaper than `collect`.
      if (!pairs.some((it) => it !== first && it !== second && matchesPlace(it, map))) continue;
      const rough = collect(keypoints, across, map);
      const refined = rough.pairs.length < minRough ? null : fitMap(rough.pairs);
      if (refined === null) continue;
      const fit = collect(keypoints, across, refined);
      if (fit.pairs.length > best.pairs.length) best = fit;
      if (best.pairs.length >= enoughMatches) return best;
    }
  }
  return best;
}

function similarPairs(keypoints: readonly Keypoint[], others: readonly Keypoint[]): Pair[] {
  const found: { readonly pair: Pair; readonly bits: number }[] = [];
  const keys = Int32Array.from(others, ({ key }) => key);
  for (const keypoint of keypoints) {
    const own = keypoint.key | 0;
    for (let at = 0; at < keys.length; at++) {
      let rest = own ^ keys[at]!;
      // Each line clears the lowest bit that differs; most pairs differ in more than these three bits.
      rest &= rest - 1;
      rest &= rest - 1;
      if ((rest & (rest - 1)) !== 0) continue;
      const other = others[at]!;
      found.push({ pair: [keypoint, other], bits: differingBits(keypoint.key, other.key) });
    }
  }
  return found.toSorted((one, two) => one.bits - two.bits).map(({ pair }) => pair);
}

/** Least-squares fit; null if the points are too close together or the scale is out of range. */
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

/** The pairs that agree with a map; each spot of `other`, sorted from left to right, is used once. */
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
    for (let at = firstFrom(others, x - near); at < others.length; at++) {
      const other = others[at]!;
      if (other.x > x + near) break;
      if (Math.abs(other.y - y) > near) continue;
      if (taken.has(other) || !matchesScale([keypoint, other], map.scale)) continue;
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

/** The index of the first keypoint that is not to the left of `x`. */
function firstFrom(keypoints: readonly Keypoint[], x: number): number {
  let [from, to] = [0, keypoints.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (keypoints[middle]!.x < x) from = middle + 1;
    else to = middle;
  }
  return from;
}

function matchesPlace([one, other]: Pair, { scale, left, top }: Map): boolean {
  const near = tolerance * Math.max(1, scale);
  return (
    Math.abs(scale * one.x + left - other.x) < near &&
    Math.abs(scale * one.y + top - other.y) < near
  );
}

function matchesScale([one, other]: Pair, scale: number): boolean {
  const ratio = other.size / (one.size * scale);
  return ratio < maxSizeRatio && ratio > 1 / maxSizeRatio;
}

function differingBits(one: number, other: number): number {
  let bits = one ^ other;
  bits -= (bits >>> 1) & 0x55555555;
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
