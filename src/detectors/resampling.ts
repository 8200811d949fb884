/**
 * Traces of scaling and turning. Interpolated pixels are predictable from their neighbours with a period that depends on
 * the scale; where one region has a period of its own, it was scaled apart from the rest. A picture that was scaled as a
 * whole is common, and said, and counts as nothing.
 *
 * Of a region it points at the middle only, from about 128 pixels a side: windows are heard together with those around.
 * Compression hides it: of photographs saved at quality 95 after scaling by 1.3, one in ten still shows it, at 85 none.
 * Fine regular textures, of cloth or fences, look alike.
 */

import type { Picture, PictureFacts } from '../image/picture.ts';
import type { Detector, PlaceMap, Sighting, Skipped } from './detector.ts';
import { largestRegion, measuresOf, placeOf, type Region, wordShare } from './regions.ts';
import { commonPeak, meanSpectrum, ownPeaks, pooled } from './resampling-peaks.ts';
import { spectraOf, type Windows, windowSide } from './resampling-spectra.ts';

/** With fewer windows there is no rest to compare a region with. */
const leastSidePx = 2 * windowSide;
const leastQuality = 90;

/** 34 photographs of the calibration split stay below as they are; of those enlarged to 1.3, nine in ten lie above. */
const scaledFrom = 4.5;
/** The same photographs stay below 9.4 in every window. Enlarged as a whole, one in ten reaches 11.8, in few windows. */
const least = 10;
const fewShare = 0.05;
/** Half of the windows at the power at which they are cut: no region has that alone. */
const everywhereFrom = 10;

export const resampling: Detector<Sighting | Skipped> = {
  method: 'resampling',
  examine: ({ picture }) => {
    const { width, height, jpeg } = picture.facts;
    if (Math.min(width, height) < leastSidePx) return tooSmall;
    if (jpeg && (jpeg.quality?.value ?? 0) < leastQuality) return tooCompressed;
    return look(picture);
  },
};

function look({ facts, luma }: Picture): Sighting {
  const { width, height } = facts;
  const windows = spectraOf({ width, height, luma });
  const around = pooled(windows);
  const spectrum = meanSpectrum(around);
  const peaks = ownPeaks(around, spectrum);
  const pointing = Uint8Array.from(peaks, (power) => (power >= least ? 1 : 0));
  const pointingShare = pointing.reduce((sum, is) => sum + is, 0) / pointing.length;
  const scaledPeak = commonPeak(spectrum);
  const isWhole =
    scaledPeak >= everywhereFrom || (pointingShare < fewShare && scaledPeak >= scaledFrom);
  if (isWhole) pointing.fill(0);
  const map = toMap(pointing, windows, facts);
  const region = largestRegion(map, pointedFrom, facts);
  return {
    finding: {
      method: resampling.method,
      score: 0.5,
      speaksFor: 'neither',
      strength: 'none',
      statement: isWhole ? scaled : region === null ? none : scaledApart(region, facts),
      measures: {
        scaledPeak,
        ownPeak: Math.max(...peaks),
        pointingShare,
        ...(region === null ? {} : measuresOf(region)),
      },
      source,
    },
    map,
  };
}

/** Of the windows that hold a cell, at least half point. */
const pointedFrom = 0.7;

/** 0.5 to 0.9 by the share of the windows around a cell that point: a window without a period says nothing. */
function toMap(pointing: Uint8Array, windows: Windows, { width, height }: PictureFacts): PlaceMap {
  const cellPx = windows.stridePx;
  const [columns, rows] = [Math.ceil(width / cellPx), Math.ceil(height / cellPx)];
  const values = Float32Array.from({ length: columns * rows }, (_, cell) => {
    const column = cell % columns;
    const share = shareAround(pointing, windows, column, (cell - column) / columns);
    return 0.5 + 0.4 * share;
  });
  return { cellPx, columns, rows, values };
}

/** A window begins with its own cell and reaches over the cells behind. */
function shareAround(pointing: Uint8Array, windows: Windows, column: number, row: number): number {
  const { columns, rows, stridePx } = windows;
  const reach = Math.max(0, Math.ceil(windowSide / stridePx) - 1);
  const [right, bottom] = [Math.min(column, columns - 1), Math.min(row, rows - 1)];
  let [held, found] = [0, 0];
  for (let y = Math.max(0, bottom - reach); y <= bottom; y++) {
    for (let x = Math.max(0, right - reach); x <= right; x++) {
      held++;
      found += pointing[y * columns + x]!;
    }
  }
  return found / held;
}

const scaled = {
  en: 'The picture as a whole shows traces of scaling or of another regular computation; that is common and no sign of a forgery.',
  de: 'Das Bild zeigt als Ganzes Spuren einer Skalierung oder einer anderen regelmäßigen Berechnung; das ist üblich und kein Zeichen einer Fälschung.',
};

const none = {
  en: 'No region shows traces of having been scaled or turned apart from the rest.',
  de: 'Kein Bereich zeigt Spuren davon, getrennt vom Rest skaliert oder gedreht worden zu sein.',
};

function scaledApart(region: Region, facts: PictureFacts) {
  const [share, place] = [wordShare(region.share), placeOf(region, facts)];
  return {
    en: `A region ${place.en} (${share.en} of the picture) has a regular period that the rest lacks: it may have been scaled or turned, or show a fine regular texture.`,
    de: `Ein Bereich ${place.de} (${share.de} des Bildes) hat eine regelmäßige Periode, die dem Rest fehlt: Er könnte skaliert oder gedreht worden sein oder eine feine regelmäßige Struktur zeigen.`,
  };
}

const tooSmall: Skipped = {
  method: 'resampling',
  reason: {
    en: 'The picture is too small to look for regions that were scaled.',
    de: 'Das Bild ist zu klein, um nach skalierten Bereichen zu suchen.',
  },
};

const tooCompressed: Skipped = {
  method: 'resampling',
  reason: {
    en: 'JPEG compression below quality 90 hides the traces of scaling.',
    de: 'JPEG-Kompression unter Qualität 90 verdeckt die Spuren einer Skalierung.',
  },
};

const source =
  'Kirchner, "Fast and reliable resampling detection by spectral analysis of fixed linear predictor residue" (ACM MM&Sec 2008).';
