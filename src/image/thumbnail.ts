/**
 * Compares the EXIF thumbnail with the picture. Programs that crop or retouch often keep the old thumbnail, which may
 * then show what the picture looked like before.
 *
 * @see E. Kee and H. Farid, "Digital image authentication from thumbnails", SPIE Media Forensics and Security (2010).
 */

import type { Picture } from './picture.ts';
import type { LumaPlane } from './pixels.ts';
import { correlate } from './correlation.ts';

/** Cells on each side: as coarse as the smallest thumbnail, so that scaling makes no difference. */
const side = 16;
/** Minimum standard deviation of the cells, in grey levels; below it, a correlation is chance. */
const minContrast = 4;

/** In the orientation that matches the picture best, without black bars; null without a thumbnail. */
export function alignThumbnail(picture: Pick<Picture, 'facts' | 'luma' | 'thumbnail'>) {
  const { facts, luma, thumbnail } = picture;
  if (thumbnail === undefined) return null;
  const { width, height, orientation } = facts;
  // Some cameras rotate the thumbnail with the picture, and others leave it as the sensor stored it; both are normal.
  const turn = (plane: LumaPlane) =>
    Array.from({ length: orientation === 1 ? 1 : 8 }, (_, bits) => turned(plane, bits));
  const aspectRatio = (plane: LumaPlane) => {
    const ratio = (plane.width * height) / (plane.height * width);
    return Math.max(ratio, 1 / ratio);
  };
  const nearest = (planes: readonly LumaPlane[]) => Math.min(...planes.map(aspectRatio));
  const [whole, bare] = [turn(thumbnail), turn(withoutBars(thumbnail))];
  // Dark edges may be bars or a night sky, so the version that matches the picture better is used.
  const planes = nearest(whole) <= nearest(bare) ? whole : bare;
  // Aspect ratio relative to the picture's, or the reciprocal: 1 if the shape is the same, otherwise more.
  const shapeRatio = nearest(planes);
  const own = meanGrid({ width, height, luma });
  const candidates = planes
    .filter((plane) => aspectRatio(plane) === shapeRatio)
    .map((upright) => {
      // On a grid of cells, -1..1; null if either is too uniform to compare.
      const correlation = correlate(meanGrid(upright), own, minContrast);
      return { upright, shapeRatio, correlation };
    });
  return candidates.reduce((best, one) =>
    (one.correlation ?? -1) > (best.correlation ?? -1) ? one : best,
  );
}

/** @param turn - the bits say whether to transpose (4), flip vertically (2) and mirror horizontally (1); 0 is a copy. */
function turned({ width, height, luma }: LumaPlane, turn: number): LumaPlane {
  const [isTransposed, isFlipped, isMirrored] = [4, 2, 1].map((bit) => (turn & bit) !== 0);
  const [across, down] = isTransposed ? [height, width] : [width, height];
  const other = new Uint8Array(luma.length);
  for (let y = 0; y < down; y++) {
    for (let x = 0; x < across; x++) {
      const [column, row] = isTransposed ? [y, x] : [x, y];
      const from = isMirrored ? width - 1 - column : column;
      other[y * across + x] = luma[(isFlipped ? height - 1 - row : row) * width + from]!;
    }
  }
  return { width: across, height: down, luma: other };
}

/** Maximum grey level of a black bar, including ringing. */
const black = 24;
/** Maximum width of a bar: a third of the picture on either side. */
const maxBar = 1 / 3;

/** Removes the black bars with which cameras pad thumbnails to 4:3. */
function withoutBars({ width, height, luma }: LumaPlane): LumaPlane {
  const [top, bottom] = findBars(height, (y) => luma.subarray(y * width, (y + 1) * width));
  const [left, right] = findBars(width, (x) =>
    Uint8Array.from({ length: height }, (_, y) => luma[y * width + x]!),
  );
  const bare = { width: width - left - right, height: height - top - bottom };
  const inside = Uint8Array.from({ length: bare.width * bare.height }, (_, at) => {
    const y = top + Math.floor(at / bare.width);
    return luma[y * width + left + (at % bare.width)]!;
  });
  return { ...bare, luma: inside };
}

/** Bars come in pairs: a dark edge on only one side belongs to the picture. */
function findBars(count: number, lineAt: (i: number) => Uint8Array): readonly [number, number] {
  const most = Math.floor(count * maxBar);
  const isBar = (i: number) => lineAt(i).every((luma) => luma <= black);
  let first = 0;
  while (first < most && isBar(first)) first++;
  let last = 0;
  while (last < most && isBar(count - 1 - last)) last++;
  return Math.abs(first - last) <= 2 ? [first, last] : [0, 0];
}

/** Mean luma of a grid of `side` by `side` cells, row-major. */
function meanGrid({ luma, width, height }: LumaPlane): Float64Array {
  const cells = new Float64Array(side * side);
  for (let cell = 0; cell < cells.length; cell++) {
    const [x0, x1] = cellRange(cell % side, width);
    const [y0, y1] = cellRange(Math.floor(cell / side), height);
    let sum = 0;
    for (let y = y0; y < y1; y++) {
      for (let x = x0; x < x1; x++) sum += luma[y * width + x]!;
    }
    cells[cell] = sum / ((x1 - x0) * (y1 - y0));
  }
  return cells;
}

/** First and last pixel of a cell along a side of `length` pixels; a cell has at least one pixel. */
function cellRange(cell: number, length: number): readonly [number, number] {
  const start = Math.floor((cell * length) / side);
  return [start, Math.max(start + 1, Math.floor(((cell + 1) * length) / side))];
}
