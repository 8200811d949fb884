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
import type { Detector, CellMap, LocalisedFinding, Skipped } from './detector.ts';
import { areaOf, largestRegion, measuresOf, type Region, type Size } from './regions.ts';
import { commonPeak, meanSpectrum, ownPeaks, pooled } from './resampling-peaks.ts';
import { spectraOf, type Windows, windowSide } from './resampling-spectra.ts';
import type { FindingStatement } from './statements.ts';

/** With fewer windows there is no rest to compare a region with. */
const minSidePx = 2 * windowSide;
const minQuality = 90;

/** 34 photographs of the calibration split stay below as they are; of those enlarged to 1.3, nine in ten lie above. */
const scaledFrom = 4.5;
/** The same photographs stay below 9.4 in every window. Enlarged as a whole, one in ten reaches 11.8, in few windows. */
const least = 10;
const fewShare = 0.05;
/** Half of the windows at the power at which they are cut: no region has that alone. */
const everywhereFrom = 10;

const method = 'resampling';

export const resampling: Detector<LocalisedFinding | Skipped> = {
  method,
  examine: ({ picture }) => {
    const { width, height, jpeg } = picture.facts;
    if (Math.min(width, height) < minSidePx) return { method, reason: 'too_small_for_scaling' };
    if (jpeg && (jpeg.quality?.value ?? 0) < minQuality)
      return { method, reason: 'too_compressed_for_scaling' };
    return look(picture);
  },
};

function look({ facts, luma }: Picture): LocalisedFinding {
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
      method,
      score: 0.5,
      speaksFor: 'neither',
      strength: 'none',
      statement: isWhole ? scaled : statementOf(region, facts),
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

/** 0.5 to 0.9 by the share of the windows around a cell that point: a window without a period is neutral. */
function toMap(pointing: Uint8Array, windows: Windows, { width, height }: PictureFacts): CellMap {
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

const scaled = { code: 'scaled_as_a_whole', values: {} } as const;

function statementOf(region: Region | null, size: Size): FindingStatement {
  if (region === null) return { code: 'not_scaled', values: {} };
  return { code: 'region_scaled', values: areaOf(region, size) };
}

const source =
  'Kirchner, "Fast and reliable resampling detection by spectral analysis of fixed linear predictor residue" (ACM MM&Sec 2008).';
