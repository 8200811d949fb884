/**
 * Where the thumbnail in EXIF shows something else than the picture. A program that paints into a picture often leaves the
 * thumbnail that the camera made. Most write a new one, so that agreement proves nothing.
 */

import type { Thumbnail } from '../image/decode.ts';
import type { Picture } from '../image/picture.ts';
import { alignThumbnail } from '../provenance/thumbnail.ts';
import {
  type Detector,
  noWeight,
  type LocalisedFinding,
  type Skipped,
  strengthOfRatio,
} from './detector.ts';
import type { CellMap } from './regions.ts';
import { areaOf, largestRegion, regionMeasures } from './regions.ts';
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

/** As in `inconsistencies.ts`: beyond this the thumbnail shows another part of the scene, which is reported there. */
const maxShapeRatio = 1.06;
/** On the calibration split 99 % of the same pictures are above 0.72, 95 % of other ones below 0.54. */
const minLikeness = 0.6;

/** Deviations at which a cell is as likely changed as not, and that make the odds e times as high. */
const deviation = { even: 7, step: 1 };
/** A cell counts as pointed at from here on, and a region from as many of them. */
const pointedFrom = 0.73;
const minCells = 4;
/**
 * Of 500 pairs of the calibration split, with thumbnails made as `thumbnail-difference.ts` describes, a region was found
 * in 342 changed pictures and in no untouched one: that bears out 100 (Clopper and Pearson, one-sided 95 % bounds). But those
 * were not thumbnails of cameras, so no more is believed than this.
 */
const believedRatio = 20;
const found = {
  speaksFor: 'fake',
  strength: strengthOfRatio(believedRatio),
  score: believedRatio / (1 + believedRatio),
} as const;

/**
 * Of the height. Cameras write date, temperature or a logo into a strip along an edge after they made the thumbnail: all false
 * alarms of this method in whole photographs were such.
 */
const stampHeight = 0.08;

function compare(picture: Picture, upright: Thumbnail): LocalisedFinding | Skipped {
  const { width, height } = picture.facts;
  const cells = cellsFor(picture.facts, upright);
  const whole = { width, height, luma: picture.luma };
  const { deviations, scatter, likeness } = compareThumbnail(whole, upright, cells);
  if (likeness < minLikeness) return skip('thumbnail_of_other_content');
  const values = deviations.map((off) => Math.max(0.5, differingShare(off)));
  const map: CellMap = { ...cells, values };
  const region = largestRegion(map, pointedFrom, picture.facts);
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

/** Whether every cell that is pointed at lies in one strip along the upper or the lower edge. */
function isStripAtEdge({ cellPx, columns, values }: CellMap, height: number): boolean {
  const cells = [...values.keys()].filter((cell) => values[cell]! >= pointedFrom);
  const rows = cells.map((cell) => Math.floor(cell / columns));
  const top = Math.min(...rows) * cellPx;
  const bottom = (Math.max(...rows) + 1) * cellPx;
  return bottom <= stampHeight * height || top >= (1 - stampHeight) * height;
}

function differingShare(off: number): number {
  return 1 / (1 + Math.exp((deviation.even - off) / deviation.step));
}
