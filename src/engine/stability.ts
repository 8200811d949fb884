/**
 * Repeats the verdict after changes that often happen to pictures when they are shared. For speed, only the most
 * textured region, of limited size, is changed and read, without maps or Monte Carlo passes. The score of a region
 * differs from that of the whole picture (root mean square of 1.6 in log odds over 300 calibration pictures, at full
 * and half size). The unchanged region is therefore read too, and the difference that a change makes to the region is
 * added to the log odds of the picture.
 */

import { type StabilityChange, stabilityChanges } from '../contract/vocabulary.ts';
import { decodeWithSharp, saveJpeg, scalePixels } from '../image/codec.ts';
import { cutPixels, type Pixels, type Planes, scaledSize, toPlanes } from '../image/pixels.ts';
import type { TraceModel } from '../inference/networks.ts';
import { type Logits, toFakeProbability, updated } from './calibration.ts';
import { readLogits } from './patch-scores.ts';
import { cutSquare, insideGrid, texturedWindows } from './patches.ts';
import { clearlyOther, type Stability } from '../detectors/result.ts';

/** Side of the region in pixels: the smallest that can still be scored at half size. */
const regionSidePx = 256;

export const changePixels: Readonly<Record<StabilityChange, (pixels: Pixels) => Promise<Pixels>>> =
  {
    'jpeg-90': (pixels) => resaveAsJpeg(pixels, 90),
    'jpeg-70': (pixels) => resaveAsJpeg(pixels, 70),
    'scale-75': (pixels) => scalePixels(pixels, scaledSize(pixels, 0.75)),
    'scale-50': (pixels) => scalePixels(pixels, scaledSize(pixels, 0.5)),
    // Crops at the upper left, so that the grid of an earlier JPEG no longer starts at the edge.
    'crop-5': async ({ rgb, width, height }) => {
      const [left, top] = [Math.round(width * 0.05), Math.round(height * 0.05)];
      const box = { left, top, width: width - left, height: height - top };
      return cutPixels({ rgb, facts: { width, height } }, box);
    },
  };

/** @param isFake - whether the verdict is fake. */
export type StabilityTest = (isFake: boolean) => Promise<Stability>;

/** Runs the trials when first requested. @param ratio - likelihood ratio of the picture's size, counted in each. */
export function createStabilityTest(
  picture: Planes,
  logits: Logits,
  model: TraceModel,
  ratio = 1,
): StabilityTest {
  let trials: ReturnType<typeof makeTrials> | null = null;
  return async (isFake) => {
    trials ??= makeTrials(picture, logits, model, ratio);
    const judged = (await trials).map((trial) => ({
      ...trial,
      isFlip: (isFake ? 1 - trial.fakeProbability : trial.fakeProbability) >= clearlyOther,
    }));
    return { holds: !judged.some(({ isFlip }) => isFlip), trials: judged };
  };
}

async function makeTrials(picture: Planes, logits: Logits, model: TraceModel, ratio: number) {
  const region = mostTexturedRegion(picture, model.manifest.input.cellPx);
  const before = await readLogits(toPlanes(region), model);
  const trials: Omit<Stability['trials'][number], 'isFlip'>[] = [];
  // One after another: different sizes cannot be batched, and all trials together take 0.1 s on one core.
  for (const change of stabilityChanges) {
    const after = await readLogits(toPlanes(await changePixels[change](region)), model);
    const moved = {
      ...logits,
      real: logits.real + after.real - before.real,
      fake: logits.fake + after.fake - before.fake,
    };
    const byTraces = toFakeProbability(moved, model.manifest);
    trials.push({ change, fakeProbability: updated(byTraces, ratio) });
  }
  return trials;
}

/** Aligned with the grid of cells, so that JPEG blocks have the same alignment as in the picture. */
function mostTexturedRegion(picture: Planes, cellPx: number): Pixels {
  const cells = Math.floor(regionSidePx / cellPx);
  const inside = insideGrid(picture.facts, cellPx);
  const window = { columns: Math.min(cells, inside.columns), rows: Math.min(cells, inside.rows) };
  const [place] = texturedWindows(picture, { cellPx, window, stride: cells >> 2, count: 1 });
  return cutSquare(picture, place!, cellPx, regionSidePx);
}

/** Encodes the pixels as JPEG and decodes them again, as a sharing service would. */
export async function resaveAsJpeg(pixels: Pixels, quality: number): Promise<Pixels> {
  const { width, height } = pixels;
  const bytes = await saveJpeg(pixels, quality);
  const request = { bytes, width, height, orientation: 1, isCmyk: false };
  const { pixels: decoded } = await decodeWithSharp(request, 'warning');
  return { width, height, rgb: decoded.data };
}
