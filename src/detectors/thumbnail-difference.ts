/**
 * Where a thumbnail differs from its picture by more than the making of thumbnails explains: other brightness and contrast,
 * another filter, a shift by parts of a pixel, sharpening. All of these are fitted, and what they leave is compared with
 * how far cells that agree scatter.
 *
 * @see E. Kee and H. Farid, "Digital image authentication from thumbnails", SPIE Media Forensics and Security (2010), for
 * the steps of making a thumbnail.
 */

import {
  type Cells,
  type CellSize,
  fitRobustly,
  measureCells,
  type Plane,
  robustSpread,
} from './thumbnail-fit.ts';

/** Pixels of the thumbnail to a side of a cell: two cells to a block of its JPEG, so that ringing is averaged out. */
const thumbnailPx = 4;
const maxCells = 128;

/** Cells over the picture, fine enough for what a thumbnail can show. */
export function cellsFor(
  { width, height }: Omit<Plane, 'luma'>,
  thumbnail: Omit<Plane, 'luma'>,
): CellSize {
  const scale = Math.max(width / thumbnail.width, height / thumbnail.height);
  const cellPx = Math.ceil(Math.max(thumbnailPx * scale, Math.max(width, height) / maxCells));
  return { cellPx, columns: Math.ceil(width / cellPx), rows: Math.ceil(height / cellPx) };
}

interface Differences {
  /** Of each cell, 0 or more: difference over what is usual in this picture and in a cell of this contrast. */
  readonly deviations: Float32Array;
  /** Standard deviation of cells that agree, in grey levels. */
  readonly scatter: number;
  /** Of what the thumbnail shows, how much the picture explains in most cells: 1 for the same picture, near 0 for another. */
  readonly likeness: number;
}

/** @param cells - over `picture`; `thumbnail` shows the whole of it in the same orientation. */
export function compareThumbnail(picture: Plane, thumbnail: Plane, cells: CellSize): Differences {
  const { cellPx } = cells;
  const own = measureCells(picture, cells, { across: cellPx, down: cellPx });
  const small = measureCells(thumbnail, cells, {
    across: (cellPx * thumbnail.width) / picture.width,
    down: (cellPx * thumbnail.height) / picture.height,
  });
  const bounds = usualDifferences(own, small, cells);
  const fits = curves.map((powers) => fitRobustly(fitTerms(own, cells, powers), small.means));
  const deviations = new Float32Array(own.means.length).map((_, cell) =>
    fits.reduce((least, { residuals, scatter }) => {
      const off = Math.abs(residuals[cell]!) / Math.hypot(scatter, bounds[cell]!);
      return Math.min(least, off);
    }, Number.POSITIVE_INFINITY),
  );
  const scatter = fits.reduce(
    (least, fit) => Math.min(least, fit.scatter),
    Number.POSITIVE_INFINITY,
  );
  return { deviations, scatter, likeness: 1 - scatter / robustSpread(small.means) };
}

/**
 * Powers of brightness: brightness and contrast alone, and the curves that cameras and programs apply to a picture. A cell is
 * off only as far as it is under both, since a changed part that holds most of what is bright would bend the curve to itself.
 */
const curves = [1, 4] as const;

/**
 * How far a cell that agrees may be off: of the contrast between it and the cells around it, and of that between the
 * thumbnail's pixels inside it. Fitted on 500 untouched crops of the calibration split, with thumbnails of 96 to 320 pixels
 * made by five filters, with other brightness, gamma and sharpness, at JPEG quality 50 to 95.
 */
const contrastShare = 0.06;
const grainShare = 0.25;

function usualDifferences(own: Cells, small: Cells, cells: CellSize): Float64Array {
  return small.grain.map((grain, cell) =>
    Math.hypot(contrastShare * contrastAround(own, cells, cell), grainShare * grain),
  );
}

/**
 * What a thumbnail's cell can be made of: a curve of brightness, the slopes (a shift), and the difference from the
 * neighbours (blur and sharpening).
 */
function fitTerms(
  { means }: Cells,
  { columns, rows }: CellSize,
  powers: number,
): readonly Float64Array[] {
  const tone = Array.from({ length: powers + 1 }, (_, power) =>
    means.map((mean) => ((mean - 128) / 128) ** power),
  );
  const [slopesX, slopesY, bends] = Array.from({ length: 3 }, () => new Float64Array(means.length));
  for (let row = 0, cell = 0; row < rows; row++) {
    const up = row === 0 ? 0 : -columns;
    const down = row === rows - 1 ? 0 : columns;
    for (let column = 0; column < columns; column++, cell++) {
      const left = means[column === 0 ? cell : cell - 1]!;
      const right = means[column === columns - 1 ? cell : cell + 1]!;
      const [upper, lower] = [means[cell + up]!, means[cell + down]!];
      slopesX![cell] = (right - left) / 128;
      slopesY![cell] = (lower - upper) / 128;
      bends![cell] = (left + right + upper + lower - 4 * means[cell]!) / 128;
    }
  }
  return [...tone, slopesX!, slopesY!, bends!];
}

/** Standard deviation of the cell and the eight around it. */
function contrastAround({ means }: Cells, { columns, rows }: CellSize, cell: number): number {
  const column = cell % columns;
  const row = (cell - column) / columns;
  let [sum, squares, count] = [0, 0, 0];
  for (let y = Math.max(0, row - 1); y <= Math.min(rows - 1, row + 1); y++) {
    for (let x = Math.max(0, column - 1); x <= Math.min(columns - 1, column + 1); x++) {
      const value = means[y * columns + x]!;
      sum += value;
      squares += value * value;
      count++;
    }
  }
  return Math.sqrt(Math.max(0, squares / count - (sum / count) ** 2));
}
