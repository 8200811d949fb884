/**
 * Whether noise and sharpness are uniform throughout the picture. Each region is compared with regions of the same picture
 * that are as bright and as textured: a smooth sky has less noise than a hedge without having been pasted.
 *
 * It measures weakly: a blurred background differs from what is in focus, as a pasted object does.
 */

import type { Picture } from '../image/picture.ts';
import type { Detector, CellMap, LocalisedFinding, Skipped } from './detector.ts';
import { outlying, quantileOf } from './noise-outliers.ts';
import {
  context,
  type FineStructure,
  fineStructureOf,
  meanAround,
  numbersPerCell,
} from './noise-structure.ts';
import { areaOf, largestRegion, measuresOf } from './regions.ts';

/** Twelve numbers of a cell are fitted: with fewer cells they fit anything. About 128 by 128 pixels. */
const minCells = 256;

/**
 * Logistic regression on the logarithm of a cell's distance over the median: cells of 500 simulated changes against
 * untouched cells of the same pictures and of their twins, both classes of equal weight (calibration split of the
 * training data; 160 to 320 pixels a side).
 */
const ofCell = { offset: -0.49, slope: 2.8 } as const;
/**
 * The same on the logarithm of a picture's contrast, changed pictures against their twins. Of the twins 5 % have a
 * contrast above 4.1, of the changed ones 9 %: too little for the finding to indicate a side by itself.
 */
const ofPicture = { offset: -0.43, slope: 0.54 } as const;
/** Of a drawing with large areas of one colour the median may be 0. */
const minDistance = 0.1;
/** 5 % of 269 untouched photographs have more; below it a region would be named in most honest pictures. */
const unusualFrom = 5.4;
/** A region holds cells at least twice as far away as the median: 6 times as frequent in changed regions. */
const regionFrom = 0.8;

const method = 'noise-level';

export const noiseLevel: Detector<LocalisedFinding | Skipped> = {
  method,
  examine: ({ picture }) => {
    const cells = fineStructureOf(picture);
    const { cellPx, columns, rows, usable, structured } = cells;
    if (count(usable) < minCells) return { method, reason: 'too_little_for_noise' };
    if (count(structured) < minCells) return { method, reason: 'too_smooth_for_noise' };
    const ratios = distanceRatios(cells);
    const values = ratios.map((ratio, at) => (usable[at] === 1 ? logistic(ofCell, ratio) : 0.5));
    const contrast = quantileOf(ratios, usable, 0.99);
    return toLocalisedFinding({ cellPx, columns, rows, values }, contrast, picture);
  },
};

/** Distance of each cell from the majority, smoothed, over the median of the usable cells. */
function distanceRatios(cells: FineStructure): Float32Array {
  const { numbers, usable } = cells;
  const around = meanAround(numbers, cells, { each: numbersPerCell, reach: 1 });
  const squares = outlying({ numbers: around, dimensions: numbersPerCell, context, usable });
  const distances = meanAround(squares.map(Math.sqrt), cells, { each: 1, reach: 2 });
  const median = quantileOf(distances, usable, 0.5);
  return distances.map((distance) => distance / Math.max(median, minDistance));
}

/** @param ratio - of distances, 0 or more; its logarithm is what was fitted. */
function logistic({ offset, slope }: Line, ratio: number): number {
  return 1 / (1 + Math.exp(-offset) * ratio ** -slope);
}

interface Line {
  readonly offset: number;
  readonly slope: number;
}

function toLocalisedFinding(map: CellMap, contrast: number, { facts }: Picture): LocalisedFinding {
  const region = contrast < unusualFrom ? null : largestRegion(map, regionFrom, facts);
  return {
    finding: {
      method,
      score: logistic(ofPicture, contrast),
      speaksFor: 'neither',
      strength: 'none',
      statement:
        region === null
          ? { code: 'noise_even', values: {} }
          : { code: 'noise_differs', values: areaOf(region, facts) },
      measures: { contrast, ...(region === null ? {} : measuresOf(region)) },
      source,
    },
    map,
  };
}

function count(usable: Uint8Array): number {
  return usable.reduce((sum, is) => sum + is, 0);
}

const source =
  'After Cozzolino, Poggi, Verdoliva, "Splicebuster: A new blind image splicing detector" (WIFS 2015), with band energies as features, compared at equal brightness and texture.';
