/**
 * Measures what processing leaves in each word of a page: noise and its spectrum, sharpness of the strokes, ink and paper,
 * steps around the word, remains of JPEG saves, its place in the row, and its likeness to other words. The
 * weights were fitted on these numbers, so a change here needs new ones.
 */

import type { PixelBox } from '../../image/pixels.ts';
import { inRows, luminanceTable } from '../../image/jpeg-structure.ts';
import { blockPx, countBlocks, forEachBlock, nearestWhole } from '../blocks.ts';
import { measureCopies } from './compare-letters.ts';
import { measureRow } from './compare-words.ts';
import type { Page, Word } from './find-words.ts';

/** In the order of the weights' columns. A measure is NaN where it cannot be taken. */
export const measureNames =
  'height contrast paper inkBlue inkRed noise noiseAround spectrum spectrumAround flat chroma chromaAround chromaInWord noiseInInk inkSpread inkSkew level edge50 edge90 edge98 halo paperStep chromaStep frame frameAbsolute ghost60 ghost75 ghost85 ghost93 ghostLow ghostHigh fit stroke fine coarse width filled baseline relativeHeight copy copyLead letterCopy letterMatch letterLead'.split(
    ' ',
  );

export interface Measured {
  /** A row of `measureNames` for each word. */
  readonly rows: readonly Float32Array[];
  /** How closely the whole page follows the histogram of its own coefficients. */
  readonly pageFit: number;
  /** For each word, the place most similar to one of its letters. */
  readonly nearest: readonly (PixelBox | null)[];
}

export function measureWords(page: Page, rgb: Uint8Array): Measured {
  const layers = readLayers(page, rgb);
  const blocks = readBlocks(page);
  const copies = measureCopies(page);
  const rows = page.words.map((word, index) => {
    const sums = gather(page, layers, word, index);
    return Float32Array.from(
      [
        measureInk(sums, word),
        measureFrame(page, layers.distance, word),
        measureBlocks(blocks, word),
        measureShape(sums, word),
        measureRow(page.words, word),
        copies[index]!.measures,
      ].flat(),
    );
  });
  return { rows, pageFit: blocks.pageFit, nearest: copies.map(({ nearest }) => nearest) };
}

interface Layers {
  /** Distance from ink in pixels: 0 on ink, at most 4. */
  readonly distance: Uint8Array;
  /** 1 for ink that is surrounded by ink. */
  readonly core: Uint8Array;
  readonly blue: Float32Array;
  readonly red: Float32Array;
  /** Noise and texture: of luma over one pixel and over two, and of both chroma planes together. */
  readonly fine: Float32Array;
  readonly coarse: Float32Array;
  readonly chroma: Float32Array;
}

const farthest = 4;

function readLayers(page: Page, rgb: Uint8Array): Layers {
  const { shapes, width } = page;
  const distance = new Uint8Array(shapes.length);
  for (let at = 0; at < shapes.length; at++) distance[at] = shapes[at]! > 0 ? 0 : farthest;
  spreadDistance(distance, page);
  const core = new Uint8Array(distance.length);
  const isInk = (at: number) => distance[at] === 0;
  const isRun = (at: number) => isInk(at - 1) && isInk(at) && isInk(at + 1);
  for (let y = 1; y < page.height - 1; y++) {
    for (let at = y * width + 1; at < (y + 1) * width - 1; at++) {
      if (isRun(at) && isRun(at - width) && isRun(at + width)) core[at] = 1;
    }
  }
  const blue = new Float32Array(distance.length);
  const red = new Float32Array(distance.length);
  for (let at = 0, from = 0; at < blue.length; at++, from += 3) {
    const r = rgb[from]!;
    const g = rgb[from + 1]!;
    const b = rgb[from + 2]!;
    blue[at] = -0.168736 * r - 0.331264 * g + 0.5 * b;
    red[at] = 0.5 * r - 0.418688 * g - 0.081312 * b;
  }
  const [chroma, ofRed] = [texture(blue, page, 1), texture(red, page, 1)];
  for (let at = 0; at < chroma.length; at++) chroma[at]! += ofRed[at]!;
  const [fine, coarse] = [texture(page.luma, page, 1), texture(page.luma, page, 2)];
  return { distance, core, blue, red, fine, coarse, chroma };
}

/** Diagonal steps count as one. */
function spreadDistance(distance: Uint8Array, { width }: Page): void {
  for (let reached = 0; reached < farthest - 1; reached++) {
    for (let at = 0; at < distance.length; at++) {
      if (distance[at] !== reached) continue;
      const [left, right] = [at % width > 0 ? -1 : 0, at % width < width - 1 ? 1 : 0];
      for (let row = at - width; row <= at + width; row += width) {
        for (let near = row + left; near <= row + right; near++) {
          if (distance[near]! > reached + 1) distance[near] = reached + 1;
        }
      }
    }
  }
}

class Mean {
  sum = 0;
  count = 0;
  add(value: number): void {
    this.sum += value;
    this.count++;
  }
  get value(): number {
    return this.count > 0 ? this.sum / this.count : Number.NaN;
  }
}

const levels = 256;
const log = (value: number) => Math.log(value + 0.02);

/** The value at a share of a histogram of 256 grey levels. */
function quantile(histogram: Int32Array, count: number, share: number): number {
  const wanted = share * (count - 1) + 0.5;
  let seen = 0;
  for (let level = 0; level < histogram.length; level++) {
    seen += histogram[level]!;
    if (seen >= wanted) return level;
  }
  return 255;
}

/** Response, 0 or more, of a second difference in both directions; `step` is the distance of its taps in pixels. */
function texture(plane: Uint8Array | Float32Array, { width, height }: Page, step: number) {
  const response = new Float32Array(plane.length);
  for (let y = 0; y < height; y++) {
    const [line, above] = [width * y, width * Math.max(0, y - step)];
    const below = width * Math.min(height - 1, y + step);
    for (let x = 0; x < width; x++) {
      const left = x < step ? 0 : x - step;
      const right = x + step < width ? x + step : width - 1;
      const beside =
        plane[above + x]! + plane[below + x]! + plane[line + left]! + plane[line + right]!;
      const corners =
        plane[above + left]! + plane[above + right]! + plane[below + left]! + plane[below + right]!;
      response[line + x] = Math.abs(4 * plane[line + x]! - 2 * beside + corners) / 6;
    }
  }
  return response;
}

/** Ink or paper of a word, or paper around it. */
class Zone {
  readonly grey = new Int32Array(levels);
  readonly luma = new Mean();
  readonly blue = new Mean();
  readonly red = new Mean();
  readonly fine = new Mean();
  readonly coarse = new Mean();
  readonly chroma = new Mean();
  readonly flat = new Mean();

  addColour({ luma }: Page, { blue, red }: Layers, at: number): void {
    this.grey[luma[at]!]!++;
    this.luma.add(luma[at]!);
    this.blue.add(blue[at]!);
    this.red.add(red[at]!);
  }

  addNoise({ fine, coarse, chroma }: Layers, at: number): void {
    this.fine.add(fine[at]!);
    this.coarse.add(coarse[at]!);
    this.chroma.add(chroma[at]!);
    this.flat.add(fine[at] === 0 ? 1 : 0);
  }
}

/** Everything that is summed over the pixels of a word and of the paper around it. */
function gather(page: Page, layers: Layers, word: Word, index: number) {
  const { luma, width, height, shapes, wordOfShape } = page;
  const { distance, core } = layers;
  const far = Math.min(40, Math.max(8, Math.floor(1.3 * word.letterHeight)));
  const right = word.left + word.width;
  const bottom = word.top + word.height;
  const [ink, paper, around, all] = [new Zone(), new Zone(), new Zone(), new Zone()];
  const [halo, coreNoise] = [new Mean(), new Mean()];
  const edges: number[] = [];
  let rim = 0;
  for (let y = Math.max(0, word.top - far); y < Math.min(height, bottom + far); y++) {
    for (let x = Math.max(0, word.left - far); x < Math.min(width, right + far); x++) {
      const at = y * width + x;
      const gap = distance[at]!;
      const beyond = Math.max(word.left - x, x - right + 1, word.top - y, y - bottom + 1);
      if (beyond > 3 && (gap < farthest || beyond <= 5)) continue;
      if (beyond > 3) {
        around.addColour(page, layers, at);
        around.addNoise(layers, at);
        continue;
      }
      all.addNoise(layers, at);
      if (gap === 0 && wordOfShape[shapes[at]!] === index) {
        ink.addColour(page, layers, at);
        if (core[at] === 1) coreNoise.add(layers.fine[at]!);
        else rim++;
      }
      if (gap >= 2) paper.addColour(page, layers, at);
      if (gap === 2) halo.add(luma[at]!);
      if (gap >= 3) paper.addNoise(layers, at);
      if (gap <= 1 && core[at] !== 1) edges.push(slopeAt(page, x, y));
    }
  }
  return {
    ink,
    paper,
    around,
    all,
    halo,
    coreNoise,
    edges: edges.toSorted((one, other) => one - other),
    rim,
  };
}

/** Steepness of luma at a pixel, in grey levels for each pixel. */
function slopeAt({ luma, width, height }: Page, x: number, y: number): number {
  const at = y * width + x;
  const across = luma[x < width - 1 ? at + 1 : at]! - luma[x > 0 ? at - 1 : at]!;
  const down = luma[y < height - 1 ? at + width : at]! - luma[y > 0 ? at - width : at]!;
  return Math.hypot(across, down) / 2;
}

type Sums = ReturnType<typeof gather>;

/** Fewer pixels than these give no reliable mean: of paper in the word, of paper around it, and of surrounded ink. */
const minPaper = 8;
const minAround = 30;
const minCore = 7;

function measureContrast({ ink, paper }: Sums) {
  const white = quantile(paper.grey, paper.luma.count, 0.5);
  const level = quantile(ink.grey, ink.luma.count, 0.2);
  return { white, level, contrast: Math.max(5, white - level) };
}

function measureInk(sums: Sums, word: Word): readonly number[] {
  const { ink, paper, around, all, halo, coreNoise, edges } = sums;
  const { white, level, contrast } = measureContrast(sums);
  const logOf = (mean: Mean, least: number) => (mean.count >= least ? log(mean.value) : Number.NaN);
  const fine = logOf(paper.fine, minPaper);
  const fineAround = logOf(around.fine, minAround + 1);
  const spectrum = fine - logOf(paper.coarse, minPaper);
  const chroma = logOf(paper.chroma, minPaper);
  const darkness = (share: number) => quantile(ink.grey, ink.luma.count, share);
  const edge = (share: number) => edges[Math.floor(share * (edges.length - 1))]! / contrast;
  const outside = around.luma.count > 8 ? around.luma.value : paper.luma.value;
  return [
    Math.log(word.letterHeight),
    Math.log(contrast),
    white,
    ink.blue.value - paper.blue.value,
    ink.red.value - paper.red.value,
    fine,
    fine - fineAround,
    spectrum,
    spectrum - (fineAround - logOf(around.coarse, minAround + 1)),
    paper.flat.value,
    chroma,
    chroma - logOf(around.chroma, minAround + 1),
    log(all.chroma.value / contrast),
    logOf(coreNoise, minCore),
    (darkness(0.9) - darkness(0.1)) / contrast,
    (darkness(0.5) - darkness(0.1)) / contrast,
    level,
    edge(0.5),
    edge(0.9),
    edge(0.98),
    (halo.value - white) / contrast,
    paper.luma.value - outside,
    Math.hypot(paper.blue.value - around.blue.value, paper.red.value - around.red.value),
  ];
}

function measureShape({ ink, all, rim, ...sums }: Sums, word: Word): readonly number[] {
  const { contrast } = measureContrast({ ink, all, rim, ...sums });
  return [
    Math.log(ink.luma.count / Math.max(1, rim)),
    log(all.fine.value / contrast),
    log(all.coarse.value / contrast),
    Math.log(word.width / word.letterHeight / word.letters.length),
    ink.luma.count / (word.width * word.height),
  ];
}

/** How far from the word a patch of new paper would end, in pixels. */
const framePx = 2;
const minPairs = 7;

/** Steps across a frame around the word, where both sides are paper: the mean, and the mean without signs. */
function measureFrame({ luma, width, height }: Page, distance: Uint8Array, word: Word) {
  const [left, top] = [word.left - framePx, word.top - framePx];
  const [right, bottom] = [word.left + word.width + framePx, word.top + word.height + framePx];
  const [signed, absolute] = [new Mean(), new Mean()];
  const compare = (x: number, y: number, outX: number, outY: number) => {
    if (Math.min(x, y, outX, outY) < 0 || Math.max(x, outX) >= width) return;
    if (Math.max(y, outY) >= height) return;
    const [inside, outside] = [y * width + x, outY * width + outX];
    if (distance[inside]! < 2 || distance[outside]! < 3) return;
    signed.add(luma[inside]! - luma[outside]!);
    absolute.add(Math.abs(luma[inside]! - luma[outside]!));
  };
  for (let x = left; x < right; x++) {
    compare(x, top, x, top - 1);
    compare(x, bottom - 1, x, bottom);
  }
  for (let y = top; y < bottom; y++) {
    compare(left, y, left - 1, y);
    compare(right - 1, y, right, y);
  }
  if (signed.count < minPairs) return [Number.NaN, Number.NaN];
  return [Math.abs(signed.value), absolute.value];
}

const ghostQualities = [60, 75, 85, 93] as const;
/** The lowest frequencies, whose histograms show an earlier save. */
const lowest = [1, 2, 3, 4, 8, 9, 10, 11, 16, 17, 18, 24, 25, 32] as const;
/** Larger coefficients are too rare for a histogram; the smoothed one is the mean over this many bins on both sides. */
const comparedBelow = 200;
const smoothing = 8;

/** For each block, what a save at each quality would change, and how well the block follows the page's histograms. */
function readBlocks(page: Page) {
  const { columns, rows } = countBlocks(page, { left: 0, top: 0 });
  const steps = ghostQualities.map((quality) => inRows(luminanceTable(quality)));
  const ghosts = steps.map(() => new Float32Array(columns * rows));
  const low = new Uint8Array(columns * rows * lowest.length);
  const histograms = lowest.map(() => new Float64Array(levels));
  forEachBlock(page, { left: 0, top: 0 }, (coefficients, block) => {
    for (const [quality, table] of steps.entries()) {
      let sum = 0;
      for (let at = 1; at < table.length; at++) {
        const value = coefficients[at]!;
        const rest = value - nearestWhole(value / table[at]!) * table[at]!;
        sum += rest * rest;
      }
      ghosts[quality]![block] = sum / (table.length - 1);
    }
    for (const [place, at] of lowest.entries()) {
      const value = Math.min(levels - 1, Math.floor(Math.abs(coefficients[at]!) + 0.5));
      low[block * lowest.length + place] = value;
      histograms[place]![value]!++;
    }
  });
  const gains = histograms.map(frequencyGains);
  const [gain, counted] = [new Float32Array(columns * rows), new Float32Array(columns * rows)];
  for (let at = 0; at < low.length; at++) {
    if (low[at]! < 2 || low[at]! >= comparedBelow) continue;
    const block = Math.floor(at / lowest.length);
    gain[block]! += gains[at % lowest.length]![low[at]!]!;
    counted[block]!++;
  }
  return { columns, rows, ghosts, gain, counted, pageFit: total(gain) / (total(counted) + 1) };
}

function total(values: Float32Array): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** How much more frequent each value is than its neighbours, as a logarithm. */
function frequencyGains(histogram: Float64Array): Float64Array {
  return histogram.map((count, value) => {
    const nearby = histogram.subarray(
      Math.max(0, value - smoothing),
      Math.min(levels - 1, value + smoothing + 1),
    );
    const mean = nearby.reduce((sum, one) => sum + one, 0) / nearby.length;
    return Math.log((count + 0.5) / (mean + 0.5));
  });
}

function measureBlocks(blocks: ReturnType<typeof readBlocks>, word: Word): readonly number[] {
  const { columns, rows, ghosts, gain, counted } = blocks;
  const sums = ghosts.map(() => new Mean());
  let [gained, compared] = [0, 0];
  const lastRow = Math.min(rows - 1, Math.floor((word.top + word.height - 1) / blockPx));
  const lastColumn = Math.min(columns - 1, Math.floor((word.left + word.width - 1) / blockPx));
  for (let row = Math.floor(word.top / blockPx); row <= lastRow; row++) {
    for (let column = Math.floor(word.left / blockPx); column <= lastColumn; column++) {
      const block = row * columns + column;
      for (const [quality, sum] of sums.entries()) sum.add(ghosts[quality]![block]!);
      gained += gain[block]!;
      compared += counted[block]!;
    }
  }
  const [q60, q75, q85, q93] = sums.map((sum) => Math.log(sum.value + 0.05));
  const fit = compared > 0 ? gained / (compared + 4) : Number.NaN;
  return [q60!, q75!, q85!, q93!, q60! - q85!, q75! - q93!, fit];
}
