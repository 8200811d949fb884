/** Finds copies among the pictures of one run: identical files, or files that show the same picture. */

import { align } from '../../image/alignment.ts';
import { type Keypoint, mirrorKey, unpackFingerprint } from '../../image/keypoints.ts';

/** An earlier picture of the run that this one is a copy of. */
export interface CopyOf {
  readonly file: string;
  readonly isSameFile: boolean;
  readonly isMirrored: boolean;
}

interface Compared {
  readonly file: string;
  readonly sha256: string;
  /** See `packFingerprint`. */
  readonly fingerprint: Uint8Array;
}

/** Maximum number of pictures remembered for comparison with later ones. Each takes about 10 kB. */
const mostRemembered = 10_000;
/** Maximum number of keypoints kept per picture, most prominent first: a copy shares many of them. */
const rememberedKeys = 60;
/** If more pictures than this share a key, for example one from a letter in a logo, the key says nothing. */
const mostPerKey = 50;
/** Minimum number of keys that two pictures must share to be compared, and the maximum number of comparisons. */
const minShared = 2;
const mostAligned = 5;

/** The returned function takes the pictures in order, and gives null for one that is not a copy of an earlier one. */
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
      const { file, fingerprint: other } = remembered[at]!;
      const alignment = align(own, unpackFingerprint(other));
      if (alignment) return { file, isSameFile: false, isMirrored: alignment.isMirrored };
    }
    return null;
  }

  function remember(picture: Compared): void {
    const at = remembered.push(picture) - 1;
    files.set(picture.sha256, picture.file);
    const { keypoints } = unpackFingerprint(picture.fingerprint);
    for (const { key } of keypoints.slice(0, rememberedKeys)) {
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

/** The keys that a copy, mirrored or not, may have for this keypoint. */
function likelyKeys({ key, weakBits: [first, second] }: Keypoint): readonly number[] {
  const [one, other] = [1 << first, 1 << second];
  return [key, key ^ one, key ^ other, key ^ one ^ other].map((it) => eitherWay(it >>> 0));
}

function eitherWay(key: number): number {
  return Math.min(key, mirrorKey(key));
}
