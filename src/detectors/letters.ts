/**
 * Counts letters, to tell whether a picture shows a document: dark shapes of a letter's size that stand in a row. Of
 * photographs and of pages alike only the number of letters matters, so a photograph of a letter on a table counts.
 */

import { groupBoxes, type Size } from './regions.ts';

/** From this many letters on a picture is read as a document; photographs without text have at most about 20. */
export const lettersOfDocument = 60;

/** Documents are read at no more than this size: letters are 6 to 40 pixels high there. */
export const maxPixelsForLetters = 1_500_000;

/** In pixels, except for the shares of the box that a letter fills. */
const letter = { minHeight: 6, maxHeight: 40, minWidth: 2, minFill: 0.15, maxFill: 0.92 } as const;
/** A letter is darker than the mean of its surroundings by so many grey levels. */
const contrast = 20;
const surroundingsPx = 12;
/** Letters in a row that count as text. */
const minInRow = 4;

/** @param luma - row-major, of a picture with at most `maxPixelsForLetters`. */
export function countLetters(luma: Uint8Array, size: Size): number {
  const values = markDark(luma, size);
  const map = { cellPx: 1, columns: size.width, rows: size.height, values };
  const letters = groupBoxes(map, 1, size)
    .filter(({ left, top, right, bottom, area }) => {
      const [width, height] = [right - left, bottom - top];
      const isSized = height >= letter.minHeight && height <= letter.maxHeight;
      const isShaped = width >= letter.minWidth && width <= 3 * height;
      const fill = area / (width * height);
      return isSized && isShaped && fill >= letter.minFill && fill <= letter.maxFill;
    })
    .toSorted((one, other) => one.left - other.left);
  const rows = letters.map(() => 1);
  const isContinued = letters.map(() => false);
  for (let at = letters.length - 1; at >= 0; at--) {
    const next = nextInRow(letters, at);
    if (next === null) continue;
    rows[at] = 1 + rows[next]!;
    isContinued[next] = true;
  }
  return rows.reduce(
    (sum, length, at) => sum + (isContinued[at] || length < minInRow ? 0 : length),
    0,
  );
}

/** 1 where a pixel is darker than its surroundings, by sums over all pixels above and to the left. */
function markDark(luma: Uint8Array, { width, height }: Size): Float32Array {
  const sums = new Float64Array((width + 1) * (height + 1));
  for (let y = 0; y < height; y++) {
    let row = 0;
    for (let x = 0; x < width; x++) {
      row += luma[y * width + x]!;
      sums[(y + 1) * (width + 1) + x + 1] = sums[y * (width + 1) + x + 1]! + row;
    }
  }
  const dark = new Float32Array(width * height);
  for (let y = 0; y < height; y++) {
    const [above, below] = [
      Math.max(0, y - surroundingsPx),
      Math.min(height, y + surroundingsPx + 1),
    ];
    for (let x = 0; x < width; x++) {
      const [left, right] = [
        Math.max(0, x - surroundingsPx),
        Math.min(width, x + surroundingsPx + 1),
      ];
      const [high, low] = [above * (width + 1), below * (width + 1)];
      const sum = sums[low + right]! - sums[low + left]! - sums[high + right]! + sums[high + left]!;
      const mean = sum / ((right - left) * (below - above));
      if (mean - luma[y * width + x]! > contrast) dark[y * width + x] = 1;
    }
  }
  return dark;
}

type Box = ReturnType<typeof groupBoxes>[number];

/** The nearest letter to the right on the same line and of a similar height. @param letters - by their left edge. */
function nextInRow(letters: readonly Box[], at: number): number | null {
  const { right, top, bottom } = letters[at]!;
  const height = bottom - top;
  for (let next = at + 1; next < letters.length; next++) {
    const other = letters[next]!;
    if (other.left - right > height) return null;
    const ratio = (other.bottom - other.top) / height;
    const isOnLine =
      Math.abs(other.bottom - bottom) <= height / 4 || Math.abs(other.top - top) <= height / 4;
    if (other.left - right >= -0.3 * height && isOnLine && ratio > 0.5 && ratio < 2) return next;
  }
  return null;
}
