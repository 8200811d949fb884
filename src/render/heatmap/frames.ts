/** Draws numbered frames into an image with a palette: white on black, to stand out from any picture. */

import type { Region, Size } from '../../detectors/regions.ts';

/** One palette index for each block of pixels. */
export interface Canvas extends Size {
  readonly blockPx: number;
  readonly indices: Uint8Array;
}

interface Colours {
  readonly black: number;
  readonly white: number;
}

/**
 * Top of the number of a region whose upper edge is at `top`: inside the frame or, if the frame is
 * small, above it, so that the number hides nothing. All values have the same unit.
 */
export function numberTop(
  { top, width, height }: Pick<Region, 'top' | 'width' | 'height'>,
  label: Size,
): number {
  const isLarge = width >= 3 * label.width && height >= 3 * label.height;
  if (isLarge) return top;
  return top >= label.height ? top - label.height : top + height;
}

/**
 * Draws frames in the order in which the regions are numbered.
 *
 * @param regions - in pixels of the picture.
 * @param strokes - how many strokes side by side would cover the longer side. The default remains visible when a large
 *   picture is displayed small.
 */
export function drawFrames(
  canvas: Canvas,
  regions: readonly Region[],
  colours: Colours,
  strokes = 400,
): void {
  const { width, height, blockPx } = canvas;
  const stroke = Math.max(1, Math.round(Math.max(width, height) / strokes));
  const boxes = regions.map((region) => ({
    left: Math.floor(region.left / blockPx),
    top: Math.floor(region.top / blockPx),
    right: Math.ceil((region.left + region.width) / blockPx),
    bottom: Math.ceil((region.top + region.height) / blockPx),
  }));
  for (const box of boxes) {
    drawFrame(canvas, grown(box, 2 * stroke), 3 * stroke, colours.black);
    drawFrame(canvas, grown(box, stroke), stroke, colours.white);
  }
  // Drawn on top of all frames, so that no frame crosses a number.
  boxes.forEach(({ left, top, right, bottom }, at) => {
    const dot = 2 * stroke;
    const box = { top, width: right - left, height: bottom - top };
    const label = { width: 5 * dot, height: 7 * dot };
    drawNumber(canvas, { number: at + 1, left, top: numberTop(box, label), dot }, colours);
  });
}

type Box = Readonly<Record<'left' | 'top' | 'right' | 'bottom', number>>;

function grown({ left, top, right, bottom }: Box, by: number): Box {
  return { left: left - by, top: top - by, right: right + by, bottom: bottom + by };
}

function drawFrame(canvas: Canvas, box: Box, thick: number, index: number): void {
  const { left, top, right, bottom } = box;
  fill(canvas, { ...box, bottom: top + thick }, index);
  fill(canvas, { ...box, top: bottom - thick }, index);
  fill(canvas, { ...box, right: left + thick }, index);
  fill(canvas, { ...box, left: right - thick }, index);
}

function fill({ indices, width, height }: Canvas, box: Box, index: number): void {
  const [from, to] = [Math.max(0, box.left), Math.min(width, box.right)];
  for (let y = Math.max(0, box.top); y < Math.min(height, box.bottom); y++) {
    indices.fill(index, y * width + from, y * width + Math.max(from, to));
  }
}

/** Bitmaps of the digits, 3 dots wide and 5 high, row-major; a set bit is a white dot. */
const digits = [
  [7, 5, 5, 5, 7],
  [2, 6, 2, 2, 7],
  [7, 1, 7, 4, 7],
  [7, 1, 7, 1, 7],
  [5, 5, 7, 1, 1],
  [7, 4, 7, 1, 7],
  [7, 4, 7, 5, 7],
  [7, 1, 1, 1, 1],
  [7, 5, 7, 5, 7],
  [7, 5, 7, 1, 7],
] as const;

/** Draws a number on a black background, whose upper left corner is at (left, top); `dot` is the side of a dot. */
function drawNumber(
  canvas: Canvas,
  { number, left, top, dot }: Readonly<Record<'number' | 'left' | 'top' | 'dot', number>>,
  { black, white }: Colours,
): void {
  const written = Array.from(String(number), (digit) => digits[Number(digit)]!);
  const at = (column: number, row: number, across: number, down: number): Box => ({
    left: left + column * dot,
    top: top + row * dot,
    right: left + (column + across) * dot,
    bottom: top + (row + down) * dot,
  });
  fill(canvas, at(0, 0, 4 * written.length + 1, 7), black);
  written.forEach((rows, place) => {
    rows.forEach((bits, row) => {
      for (let column = 0; column < 3; column++) {
        if ((bits & (4 >> column)) === 0) continue;
        fill(canvas, at(4 * place + column + 1, row + 1, 1, 1), white);
      }
    });
  });
}
