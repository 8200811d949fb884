/**
 * The product's only colour map: dark blue through magenta and orange to pale yellow. Lightness increases with the
 * value, and neighbouring entries are equidistant in OKLab, so that equal differences in value look equal on a screen,
 * to colour-blind readers and in greyscale print.
 *
 * @see B. Ottosson, "A perceptual color space for image processing" (2020), for OKLab and its matrices.
 */

import type { CellMaps } from '../../engine/result.ts';

export const colourCount = 256;

/** Where the path starts and ends. Chroma rises to its peak in between and falls again, to stay inside sRGB. */
const lightness = { from: 0.16, to: 0.97 };
const hueDegrees = { from: 272, to: 468 };
const chroma = { from: 0.045, peak: 0.185, to: 0.085 };

/** Points along the path for measuring its length; 16 per entry make the steps equal to within 0.1 %. */
const samples = 4096;

type Triple = readonly [number, number, number];

/** The colour map as RGB bytes, `3 * 256` of them: entry i stands for the value i / 255. */
export function createColourMap(): Uint8Array {
  const path = Array.from({ length: samples + 1 }, (_, i) => pathAt(i / samples));
  const lengths = cumulativeLengths(path);
  const total = lengths[samples]!;
  const colours = new Uint8Array(3 * colourCount);
  let at = 0;
  for (let entry = 0; entry < colourCount; entry++) {
    const wanted = (total * entry) / (colourCount - 1);
    while (at < samples - 1 && lengths[at + 1]! < wanted) at++;
    const share = (wanted - lengths[at]!) / (lengths[at + 1]! - lengths[at]!);
    colours.set(toSrgb(pathAt((at + share) / samples)), 3 * entry);
  }
  return colours;
}

/** Converts an sRGB colour to OKLab. @param rgb - three bytes, 0..255. @returns L 0..1, a and b about -0.4..0.4. */
export function toOklab(rgb: Triple): Triple {
  const r = linearFromByte(rgb[0]);
  const g = linearFromByte(rgb[1]);
  const b = linearFromByte(rgb[2]);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

/** The path in OKLab, `t` 0..1. */
function pathAt(t: number): Triple {
  const hue = ((hueDegrees.from + (hueDegrees.to - hueDegrees.from) * t) * Math.PI) / 180;
  const base = chroma.from + (chroma.to - chroma.from) * t;
  const rise = chroma.peak - (chroma.from + chroma.to) / 2;
  const c = base + rise * Math.sin(Math.PI * t) ** 2;
  return [
    lightness.from + (lightness.to - lightness.from) * t,
    c * Math.cos(hue),
    c * Math.sin(hue),
  ];
}

function cumulativeLengths(path: readonly Triple[]): Float64Array {
  const lengths = new Float64Array(path.length);
  for (let i = 1; i < path.length; i++) {
    const [p, q] = [path[i - 1]!, path[i]!];
    lengths[i] = lengths[i - 1]! + Math.hypot(q[0] - p[0], q[1] - p[1], q[2] - p[2]);
  }
  return lengths;
}

function toSrgb(lab: Triple): Triple {
  const [L, a, b] = lab;
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    byteFromLinear(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    byteFromLinear(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    byteFromLinear(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

/** sRGB transfer function, IEC 61966-2-1. */
function linearFromByte(byte: number): number {
  const v = byte / 255;
  return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
}

function byteFromLinear(linear: number): number {
  if (linear < -1e-6 || linear > 1 + 1e-6) throw new RangeError('Colour outside sRGB.');
  const v = linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055;
  return Math.round(255 * v);
}

// Upsamples cell maps to the size of the picture, bilinearly.

export interface Size {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** Writes row `y` of the upsampled map to `row`, one value 0..65535 per pixel. */
export type FillRow = (values: Uint16Array, y: number, row: Uint16Array) => void;

interface Axis {
  /** For each pixel, the two cells it lies between. */
  readonly before: Uint16Array;
  readonly after: Uint16Array;
  /** Weight of the second cell, in units of 1 / (2 * cellPx). */
  readonly share: Uint16Array;
}

/**
 * Creates a row reader that upsamples maps of this grid. The value of cell i applies at its centre, `(i + 0.5) *
 * cellPx`; beyond the outermost centres it stays constant. Exact integer arithmetic gives the same values everywhere.
 *
 * @param blockPx - return one value per block of this many pixels a side, at the block's centre, instead of one per
 *   pixel.
 * @throws {RangeError} when the grid does not cover the picture or a map is not `columns * rows` long.
 */
export function createUpsampler(size: Size, maps: CellMaps, blockPx = 1): FillRow {
  assertGridCovers(size, maps);
  const { cellPx, columns, rows } = maps;
  const whole = 2 * cellPx;
  const half = (whole * whole) / 2;
  const across = readAxis(Math.ceil(size.width / blockPx), columns, { cellPx, blockPx });
  const down = readAxis(Math.ceil(size.height / blockPx), rows, { cellPx, blockPx });
  const between = new Float64Array(columns);

  return function fillRow(values, y, row) {
    const upper = down.before[y]! * columns;
    const lower = down.after[y]! * columns;
    const share = down.share[y]!;
    for (let i = 0; i < columns; i++) {
      between[i] = values[upper + i]! * (whole - share) + values[lower + i]! * share;
    }
    for (let x = 0; x < row.length; x++) {
      const right = across.share[x]!;
      const sum =
        between[across.before[x]!]! * (whole - right) + between[across.after[x]!]! * right;
      row[x] = (sum + half) / (whole * whole);
    }
  };
}

function readAxis(
  blocks: number,
  cells: number,
  { cellPx, blockPx }: { readonly cellPx: number; readonly blockPx: number },
): Axis {
  const before = new Uint16Array(blocks);
  const after = new Uint16Array(blocks);
  const share = new Uint16Array(blocks);
  for (let p = 0; p < blocks; p++) {
    // Centres are at (p + 0.5) blocks, so the distance to the first cell's centre is an exact whole number of half
    // pixels.
    const distance = blockPx * (2 * p + 1) - cellPx;
    const cell = Math.floor(distance / (2 * cellPx));
    before[p] = Math.min(Math.max(cell, 0), cells - 1);
    after[p] = Math.min(Math.max(cell + 1, 0), cells - 1);
    share[p] = distance - 2 * cellPx * cell;
  }
  return { before, after, share };
}

function assertGridCovers({ width, height }: Size, maps: CellMaps): void {
  const { cellPx, columns, rows, values, methods } = maps;
  const isCovering =
    Number.isInteger(cellPx) &&
    cellPx > 0 &&
    columns === Math.ceil(width / cellPx) &&
    rows === Math.ceil(height / cellPx);
  if (!isCovering) {
    throw new RangeError(
      `A grid of ${columns} x ${rows} cells of ${cellPx} px does not cover ${width} x ${height} px.`,
    );
  }
  for (const [name, map] of Object.entries({ ...methods, ...values })) {
    if (map.length !== columns * rows) {
      throw new RangeError(`The ${name} map has ${map.length} values, not ${columns * rows}.`);
    }
  }
}
