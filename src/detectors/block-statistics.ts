/**
 * Measures how flat and how sharp a picture is, in 8 by 8 pixel blocks on JPEG's own grid: a flat block next to an edge
 * then survives JPEG, because ringing stays within its block.
 */

export interface BlockStatistics {
  readonly blocks: number;
  /** Share of blocks whose luma range is at most 2 grey levels. */
  readonly flatShare: number;
  /** Share of blocks whose luma range is at least 32 grey levels. */
  readonly edgeShare: number;
  /**
   * Share of flat blocks among the eight neighbours of edge blocks, not counting neighbours that are edge blocks
   * themselves. 0 if there are none.
   */
  readonly flatBesideEdges: number;
  /** Mean over edge blocks of the largest step between adjacent pixels relative to the block's range, 0..1. */
  readonly edgeSharpness: number;
  /** In blocks with a range of at least 64: share of pixels within a tenth of the range of the darkest or brightest. */
  readonly twoToneShare: number;
}

const side = 8;
const flatRange = 2;
const edgeRange = 32;
const contrastRange = 64;

const between = 0;
const flat = 1;
const edge = 2;

export function measureBlocks(luma: Uint8Array, width: number, height: number): BlockStatistics {
  const columns = Math.floor(width / side);
  const rows = Math.floor(height / side);
  const kinds = new Uint8Array(columns * rows);
  let sharpness = 0;
  let contrastPixels = 0;
  let extremePixels = 0;
  for (let block = 0; block < kinds.length; block++) {
    const column = block % columns;
    const start = ((block - column) / columns) * side * width + column * side;
    const { darkest, brightest } = blockExtremes(luma, start, width);
    const range = brightest - darkest;
    kinds[block] = range <= flatRange ? flat : range >= edgeRange ? edge : between;
    if (range >= edgeRange) sharpness += greatestStep(luma, start, width) / range;
    if (range >= contrastRange) {
      contrastPixels += side * side;
      extremePixels += countExtremes(luma, start, width, darkest, brightest);
    }
  }
  const flats = count(kinds, flat);
  const edges = count(kinds, edge);
  return {
    blocks: kinds.length,
    flatShare: ratio(flats, kinds.length),
    edgeShare: ratio(edges, kinds.length),
    flatBesideEdges: flatBesideEdges(kinds, columns, rows),
    edgeSharpness: ratio(sharpness, edges),
    twoToneShare: ratio(extremePixels, contrastPixels),
  };
}

/** Darkest and brightest pixel of the block at `start`. */
function blockExtremes(luma: Uint8Array, start: number, width: number) {
  let darkest = 255;
  let brightest = 0;
  for (let line = start; line < start + side * width; line += width) {
    for (let at = line; at < line + side; at++) {
      const here = luma[at]!;
      if (here < darkest) darkest = here;
      if (here > brightest) brightest = here;
    }
  }
  return { darkest, brightest };
}

/** Largest luma difference between adjacent pixels inside the block. */
function greatestStep(luma: Uint8Array, start: number, width: number): number {
  let step = 0;
  for (let y = 0; y < side; y++) {
    const line = start + y * width;
    for (let x = 0; x < side; x++) {
      const here = luma[line + x]!;
      const right = x < side - 1 ? Math.abs(here - luma[line + x + 1]!) : 0;
      const below = y < side - 1 ? Math.abs(here - luma[line + x + width]!) : 0;
      if (right > step) step = right;
      if (below > step) step = below;
    }
  }
  return step;
}

function countExtremes(
  luma: Uint8Array,
  start: number,
  width: number,
  darkest: number,
  brightest: number,
): number {
  const near = (brightest - darkest) / 10;
  let extremes = 0;
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const here = luma[start + y * width + x]!;
      if (here - darkest <= near || brightest - here <= near) extremes++;
    }
  }
  return extremes;
}

function flatBesideEdges(kinds: Uint8Array, columns: number, rows: number): number {
  let neighbours = 0;
  let flats = 0;
  for (let block = 0; block < kinds.length; block++) {
    if (kinds[block] !== edge) continue;
    const x = block % columns;
    const y = (block - x) / columns;
    for (let ny = Math.max(0, y - 1); ny <= Math.min(rows - 1, y + 1); ny++) {
      for (let nx = Math.max(0, x - 1); nx <= Math.min(columns - 1, x + 1); nx++) {
        const kind = kinds[ny * columns + nx];
        if (kind !== edge) neighbours++;
        if (kind === flat) flats++;
      }
    }
  }
  return ratio(flats, neighbours);
}

function count(kinds: Uint8Array, wanted: number): number {
  let found = 0;
  for (const kind of kinds) if (kind === wanted) found++;
  return found;
}

function ratio(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0;
}
