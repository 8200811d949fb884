/** The same picture after another save: is its verdict reversed, and does the compression score follow? */

import sharp from 'sharp';
import {
  decisionStrategies,
  type DecisionStrategy,
  type StabilityChange,
  stabilityChanges,
} from '../../src/contract/vocabulary.ts';
import { toFakeProbability, toPredictions } from '../../src/engine/calibration.ts';
import type { Models } from '../../src/engine/schedule.ts';
import { readLogits } from '../../src/engine/patch-scores.ts';
import { cellTextures, coveringGrid } from '../../src/engine/patches.ts';
import { changePixels, resaveAsJpeg } from '../../src/engine/stability.ts';
import { saveJpeg } from '../../src/image/codec.ts';
import type { Pixels } from '../../src/image/pixels.ts';
import { decodePicture } from '../../src/image/decode.ts';
import type { Picture } from '../../src/image/picture.ts';
import { toPlanes } from '../../src/image/pixels.ts';
import type { TraceModel } from '../../src/inference/networks.ts';
import { limits } from './conditions.ts';
import { type Classes, examineUnderAll } from './examine-under-all.ts';

/**
 * By strategy, the first change after which the picture is decided the other way; strategies
 * without one are left out.
 */
export type Flips = Partial<Readonly<Record<DecisionStrategy, StabilityChange>>>;

/**
 * Examines whole re-saves if one could reverse the verdict: if their traces point the other way, or
 * if the verdict is based on a local change. `--manipulated` measures the effect of re-saves on
 * places found in untouched pictures.
 */
export async function flipsOf(picture: Picture, models: Models, classes: Classes): Promise<Flips> {
  const side = classes.relaxed;
  const flips: Partial<Record<DecisionStrategy, StabilityChange>> = {};
  if (side !== 'real' && side !== 'fake') return flips;
  const other = side === 'real' ? 'fake' : 'real';
  const isByTraces = (await isFakeByTraces(picture, models)) === (side === 'fake');
  for (const change of stabilityChanges) {
    const saved = await savedAs(change, picture);
    if (isByTraces && (await isFakeByTraces(saved, models)) === (side === 'fake')) continue;
    const { classes: after } = await examineUnderAll(saved, models);
    for (const strategy of decisionStrategies) {
      if (classes[strategy] === side && after[strategy] === other) flips[strategy] ??= change;
    }
  }
  return flips;
}

async function isFakeByTraces(picture: Picture, { trace }: Models): Promise<boolean> {
  return toFakeProbability(await readLogits(picture, trace), trace.manifest) >= 0.5;
}

/** A new file, with the tables of its last save. */
async function savedAs(change: StabilityChange, picture: Picture): Promise<Picture> {
  const pixels = pixelsOf(picture);
  const quality = jpegQualities[change];
  const file = quality
    ? await saveJpeg(pixels, quality)
    : await toPng(await changePixels[change](pixels));
  return decodePicture(file, { limits });
}

const jpegQualities: Partial<Readonly<Record<StabilityChange, number>>> = {
  'jpeg-90': 90,
  'jpeg-70': 70,
};

async function toPng({ rgb, width, height }: Pixels): Promise<Buffer> {
  return sharp(rgb, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
}

const qualities = [20, 30, 40, 50, 60, 70, 80, 90] as const;

/** One in this many pictures is saved at every quality: a few are enough to show whether the score follows. */
const oneOf = 10;

/** The compression score of one picture at each quality. */
export interface Compression {
  /** By JPEG quality of a re-save. */
  readonly scores: ReadonlyMap<number, number>;
  /**
   * Of the picture's own save: 100 for a lossless file, null if a JPEG's tables match no quality.
   */
  readonly ownQuality: number | null;
  /** Mean of `cellTextures` over the picture, in grey levels per pixel. */
  readonly texture: number;
}

export async function compressionOfResaves(
  picture: Picture,
  model: TraceModel,
): Promise<Compression | null> {
  if (Number.parseInt(picture.facts.sha256.slice(0, 8), 16) % oneOf !== 0) return null;
  const scores = new Map<number, number>();
  for (const quality of qualities) {
    const planes = toPlanes(await resaveAsJpeg(pixelsOf(picture), quality));
    const { compression } = toPredictions(await readLogits(planes, model), model.manifest);
    scores.set(quality, compression);
  }
  const { jpeg } = picture.facts;
  const ownQuality = jpeg === null ? 100 : (jpeg.quality?.value ?? null);
  return { scores, ownQuality, texture: textureOf(picture, model) };
}

function textureOf(picture: Picture, { manifest }: TraceModel): number {
  const { width, height } = picture.facts;
  const { cellPx } = manifest.input;
  const cells = cellTextures(picture, coveringGrid(picture.facts, cellPx), cellPx);
  return cells.reduce((sum, texture) => sum + texture, 0) / (width * height);
}

function pixelsOf({ facts: { width, height }, rgb }: Picture): Pixels {
  return { width, height, rgb };
}
