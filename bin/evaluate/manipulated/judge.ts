/** How well a map matches a mask: each pixel counts once. */

import type { CellMaps } from '../../../src/detectors/result.ts';
import { createUpsampler } from '../../../src/render/heatmap/heatmap.ts';

export interface Judged {
  /** F1 at the best threshold for this picture; for a map without information it is `f1Chance`. */
  readonly f1Best: number;
  readonly f1Half: number;
  /** Probability that a changed pixel has a higher value than an untouched one. */
  readonly auc: number;
  readonly f1Chance: number;
}

/** 255 changed, 0 untouched; at least half white counts as changed. */
export interface Mask {
  readonly width: number;
  readonly height: number;
  readonly values: Uint8Array;
}

/** Thresholds that are tried. */
const levels = 4096;
const perLevel = 65_536 / levels;

/**
 * @param values - one of the maps of `grid`, 0..65535, drawn as in a heatmap.
 * @returns null if the mask marks nothing or everything.
 */
export function judge(mask: Mask, grid: CellMaps, values: Uint16Array): Judged | null {
  const { inside, outside } = countLevels(mask, grid, values);
  const [marked, free] = [sum(inside), sum(outside)];
  if (marked === 0 || free === 0) return null;
  let [found, wrong, below, best] = [marked, free, 0, 0];
  let above = 0;
  let half = 0;
  for (let level = 0; level < levels; level++) {
    const f1 = (2 * found) / (found + wrong + marked);
    best = Math.max(best, f1);
    if (level === levels / 2) half = f1;
    above += inside[level]! * (below + outside[level]! / 2);
    below += outside[level]!;
    found -= inside[level]!;
    wrong -= outside[level]!;
  }
  return {
    f1Best: best,
    f1Half: half,
    auc: above / (marked * free),
    f1Chance: (2 * marked) / (2 * marked + free),
  };
}

function countLevels({ width, height, values: mask }: Mask, grid: CellMaps, values: Uint16Array) {
  const fillRow = createUpsampler({ width, height }, grid);
  const row = new Uint16Array(width);
  const [inside, outside] = [new Float64Array(levels), new Float64Array(levels)];
  for (let y = 0; y < height; y++) {
    fillRow(values, y, row);
    for (let x = 0; x < width; x++) {
      const counts = mask[y * width + x]! > 127 ? inside : outside;
      counts[Math.floor(row[x]! / perLevel)]! += 1;
    }
  }
  return { inside, outside };
}

function sum(counts: Float64Array): number {
  return counts.reduce((total, count) => total + count, 0);
}
