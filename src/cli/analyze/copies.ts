/** Copies among the pictures of one run: the same file, or one that shows the same. Only the first pictures are remembered. */

import { align } from '../../image/alignment.ts';
import { type Keypoint, mirrorKey, unpackFingerprint } from '../../image/keypoints.ts';

/** An earlier picture of the run that this one is a copy of. */
export interface CopyOf {
  readonly file: string;
  /** Whether every byte is the same. */
  readonly isSameFile: boolean;
  readonly isMirrored: boolean;
}

interface Compared {
  readonly file: string;
  readonly sha256: string;
  /** See `packFingerprint`. */
  readonly fingerprint: Uint8Array;
}

/** Pictures that later ones are compared with: some 10 kB each. */
const mostRemembered = 10_000;
/** Of a picture, the most prominent first: a copy has many of them. */
const rememberedKeys = 60;
/** A key that leads to more, such as a letter of a logo, tells nothing. */
const mostPerKey = 50;
/** Keys in common from which two pictures are compared, and how many are. */
const minShared = 2;
const mostAligned = 5;

/** To be called with the pictures in order; null for one that is no copy of an earlier one. */
export function createCopyFinder(): (picture: Compared) => CopyOf | null {
  const files = new Map<string, string>();
  const remembered: Compared[] = [];
  const byKey = new Map<number, number[]>();

  function findAlike({ fingerprint }: Compared): CopyOf | null {
    const own = unpackFingerprint(fingerprint);
    const shared = new Map<number, number>();
    for (const key of new Set(own.keypoints.flatMap(likelyKeys))) {
      for (const at of byKey.get(key) ?? []) shared.set(at, (shared.get(at) ?? 0) + 1);
    }
    const candidates = [...shared]
      .filter(([, count]) => count >= minShared)
      .toSorted(([, one], [, other]) => other - one)
      .slice(0, mostAligned);
    for (const [at] of candidates) {
      const other = remembered[at]!;
      const alignment = align(own, unpackFingerprint(other.fingerprint));
      if (alignment === null) continue;
      return { file: other.file, isSameFile: false, isMirrored: alignment.isMirrored };
    }
    return null;
  }

  function remember(picture: Compared): void {
    const at = remembered.push(picture) - 1;
    files.set(picture.sha256, picture.file);
    for (const { key } of unpackFingerprint(picture.fingerprint).keypoints.slice(
      0,
      rememberedKeys,
    )) {
      const known = byKey.get(eitherWay(key)) ?? [];
      if (known.length < mostPerKey) byKey.set(eitherWay(key), [...known, at]);
    }
  }

  return (picture) => {
    const same = files.get(picture.sha256);
    if (same !== undefined) return { file: same, isSameFile: true, isMirrored: false };
    const found = findAlike(picture);
    if (remembered.length < mostRemembered) remember(picture);
    return found;
  };
}

/** What the key may be in a copy, mirrored or not. */
function likelyKeys({ key, weakBits: [first, second] }: Keypoint): readonly number[] {
  const [one, other] = [1 << first, 1 << second];
  return [key, key ^ one, key ^ other, key ^ one ^ other].map((it) => eitherWay(it >>> 0));
}

function eitherWay(key: number): number {
  return Math.min(key, mirrorKey(key));
}
