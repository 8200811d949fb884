/**
 * Where the thumbnail in EXIF shows something else than the picture. A program that paints into a picture often leaves the
 * thumbnail that the camera made. Most write a new one, so that agreement says nothing.
 */

import type { Thumbnail } from '../image/decode.ts';
import type { Picture } from '../image/picture.ts';
import { alignThumbnail } from '../provenance/thumbnail.ts';
import type { Wording } from './declarations.ts';
import {
  type Detector,
  noWeight,
  type PlaceMap,
  type Sighting,
  type Skipped,
  strengthOfRatio,
} from './detector.ts';
import { largestRegion, measuresOf, placeOf, type Region, wordShare } from './regions.ts';
import { cellsFor, differencesOf } from './thumbnail-difference.ts';

export const thumbnail: Detector<Sighting | Skipped> = {
  method: 'thumbnail',
  examine: ({ picture }) => {
    const aligned = alignThumbnail(picture);
    if (aligned === null) return skip(picture.facts.metadata.hasThumbnail ? unreadable : missing);
    if (aligned.shapeRatio > mostShapeRatio) return skip(otherShape);
    return aligned.correlation === null ? skip(even) : compare(picture, aligned.upright);
  },
};

function skip(reason: Wording): Skipped {
  return { method: thumbnail.method, reason };
}

/** As `inconsistencies.ts` has it: beyond this the thumbnail is one of another part of the scene, which is told there. */
const mostShapeRatio = 1.06;
/** On the calibration split 99 % of the same pictures lie above 0.72, 95 % of other ones below 0.54. */
const leastLikeness = 0.6;

/** Deviations at which a cell is as likely changed as not, and that make the odds e times as high. */
const deviation = { even: 7, step: 1 };
/** A cell counts as pointed at from here on, and a region from as many of them. */
const pointedFrom = 0.73;
const leastCells = 4;
/**
 * Of 500 pairs of the calibration split, with thumbnails that were made as `thumbnail-difference.ts` tells, a region was found
 * in 342 changed pictures and in no untouched one: that bears out 100 (Clopper and Pearson, one-sided 95 % bounds). But those
 * were not thumbnails of cameras, so no more is believed than this.
 */
const believedRatio = 20;
const found = {
  speaksFor: 'fake',
  strength: strengthOfRatio(believedRatio),
  score: believedRatio / (1 + believedRatio),
} as const;

function compare(picture: Picture, upright: Thumbnail): Sighting | Skipped {
  const { width, height } = picture.facts;
  const cells = cellsFor(picture.facts, upright);
  const whole = { width, height, luma: picture.luma };
  const { deviations, scatter, likeness } = differencesOf(whole, upright, cells);
  if (likeness < leastLikeness) return skip(otherContent);
  const values = deviations.map((off) => Math.max(0.5, shareOf(off)));
  const map: PlaceMap = { ...cells, values };
  const region = largestRegion(map, pointedFrom, picture.facts);
  const cellShare = cells.cellPx ** 2 / (width * height);
  const isFound = region !== null && region.share >= leastCells * cellShare;
  return {
    finding: {
      method: thumbnail.method,
      ...(isFound ? found : noWeight),
      statement: isFound ? stateOf(region, picture) : agreement,
      measures: {
        likeness,
        scatter,
        largestDeviation: deviations.reduce((most, one) => Math.max(most, one), 0),
        ...(isFound ? measuresOf(region) : {}),
      },
      source:
        'Kee and Farid, "Digital image authentication from thumbnails", SPIE Media Forensics and Security, 2010.',
    },
    map,
  };
}

function shareOf(off: number): number {
  return 1 / (1 + Math.exp((deviation.even - off) / deviation.step));
}

function stateOf(region: Region, { facts }: Picture): Wording {
  const [place, share] = [placeOf(region, facts), wordShare(region.share)];
  return {
    en: `The thumbnail that the file keeps shows something else than the picture in a region of ${share.en} of it, ${place.en}.`,
    de: `Die Vorschau in der Datei zeigt in einem Bereich von ${share.de} des Bildes, ${place.de}, etwas anderes als das Bild.`,
  };
}

const agreement: Wording = {
  en: 'The thumbnail that the file keeps shows the same as the picture everywhere; programs often write a new one, so that proves nothing.',
  de: 'Die Vorschau in der Datei zeigt überall dasselbe wie das Bild; Programme schreiben sie oft neu, das beweist also nichts.',
};

const missing: Wording = {
  en: 'The file keeps no thumbnail; services often remove it, so that says nothing.',
  de: 'Die Datei enthält keine Vorschau; Dienste entfernen sie oft, das sagt also nichts aus.',
};

const unreadable: Wording = {
  en: 'The thumbnail that the file keeps cannot be read.',
  de: 'Die Vorschau in der Datei ist nicht lesbar.',
};

const otherShape: Wording = {
  en: 'The thumbnail has another shape than the picture, so that places cannot be compared.',
  de: 'Die Vorschau hat andere Proportionen als das Bild, sodass sich Stellen nicht vergleichen lassen.',
};

const even: Wording = {
  en: 'Thumbnail or picture is too even for places to be compared.',
  de: 'Vorschau oder Bild ist zu gleichförmig, um Stellen zu vergleichen.',
};

const otherContent: Wording = {
  en: 'The thumbnail shows another picture as a whole, so that single places cannot be compared.',
  de: 'Die Vorschau zeigt insgesamt ein anderes Bild, sodass sich einzelne Stellen nicht vergleichen lassen.',
};
