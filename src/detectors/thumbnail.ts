/** Finds where the EXIF thumbnail differs from the picture. Most programs write a new one: a match proves nothing. */

import type { Picture } from '../image/picture.ts';
import type { LumaPlane } from '../image/pixels.ts';
import { alignThumbnail } from '../image/thumbnail.ts';
import {
  type Detector,
  noWeight,
  type LocalisedFinding,
  type Skipped,
  strengthOfRatio,
} from './detector.ts';
import { areaOf, type CellMap, largestRegion, regionMeasures } from './regions.ts';
import type { SkipReason } from './statements.ts';
import { cellsFor, compareThumbnail } from './thumbnail-difference.ts';

export const thumbnail: Detector<LocalisedFinding | Skipped> = {
  method: 'thumbnail',
  examine: ({ picture }) => {
    const aligned = alignThumbnail(picture);
    if (aligned === null)
      return skip(
        picture.facts.metadata.hasThumbnail ? 'thumbnail_unreadable' : 'thumbnail_missing',
      );
    if (aligned.shapeRatio > maxShapeRatio) return skip('thumbnail_of_other_shape');
    return aligned.correlation === null
      ? skip('thumbnail_too_even')
      : compare(picture, aligned.upright);
  },
};

function skip(reason: SkipReason): Skipped {
  return { method: thumbnail.method, reason };
}

/** As in `provenance/consistency.ts`: above this, the thumbnail shows a different crop, which is reported there. */
const maxShapeRatio = 1.06;
/** In the calibration set, 99% of matching thumbnails are above 0.72, and 95% of the others below 0.54. */
const minLikeness = 0.6;

/** Deviation at which a cell is as likely changed as unchanged, and increase that multiplies the odds by e. */
const deviation = { even: 7, step: 1 };
/** Minimum value of a marked cell, and minimum number of cells in a region. */
const markedFrom = 0.73;
const minCells = 4;
/**
 * In 500 pairs of the calibration set, with thumbnails made as in `thumbnail-difference.ts`, a region was found in 342
 * changed pictures and in no untouched one, which supports a ratio of 100 (Clopper and Pearson, one-sided 95% bounds).
 * But those thumbnails were not made by cameras, so the cap on the ratio is lower.
 */
const maxRatio = 20;
const found = {
  speaksFor: 'fake',
  strength: strengthOfRatio(maxRatio),
  score: maxRatio / (1 + maxRatio),
} as const;

/**
 * As a share of the height. After making the thumbnail, some cameras stamp a date, temperature or logo into a strip
 * along an edge: all false alarms of this method in whole photographs were such stamps.
 */
const stampHeight = 0.08;

function compare(picture: Picture, upright: LumaPlane): LocalisedFinding | Skipped {
  const { width, height } = picture.facts;
  const cells = cellsFor(picture.facts, upright);
  const whole = { width, height, luma: picture.luma };
  const { deviations, scatter, likeness } = compareThumbnail(whole, upright, cells);
  if (likeness < minLikeness) return skip('thumbnail_of_other_content');
  const values = deviations.map((off) =>
    Math.max(0.5, 1 / (1 + Math.exp((deviation.even - off) / deviation.step))),
  );
  const map: CellMap = { ...cells, values };
  const region = largestRegion(map, markedFrom, picture.facts);
  const cellShare = cells.cellPx ** 2 / (width * height);
  const isFound = region !== null && region.share >= minCells * cellShare;
  const isStamp = isFound && isStripAtEdge(map, height);
  return {
    finding: {
      method: thumbnail.method,
      ...(isFound && !isStamp ? found : noWeight),
      statement: isFound
        ? {
            code: isStamp ? 'thumbnail_lacks_strip' : 'thumbnail_differs',
            values: areaOf(region, picture.facts),
          }
        : { code: 'thumbnail_agrees', values: {} },
      measures: {
        likeness,
        scatter,
        largestDeviation: deviations.reduce((most, one) => Math.max(most, one), 0),
        ...(isFound ? regionMeasures(region) : {}),
      },
      source:
        'Kee and Farid, "Digital image authentication from thumbnails", SPIE Media Forensics and Security, 2010.',
    },
    map,
  };
}

/** Whether every marked cell lies in one strip along the upper or lower edge. */
function isStripAtEdge({ cellPx, columns, values }: CellMap, height: number): boolean {
  const cells = [...values.keys()].filter((cell) => values[cell]! >= markedFrom);
  const rows = cells.map((cell) => Math.floor(cell / columns));
  const top = Math.min(...rows) * cellPx;
  const bottom = (Math.max(...rows) + 1) * cellPx;
  return bottom <= stampHeight * height || top >= (1 - stampHeight) * height;
}
