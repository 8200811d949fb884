/**
 * Finds the marks that generators put in the lower right corner of their pictures: the four-pointed star of Google's
 * Gemini app, which is white and half transparent, and the five coloured squares of DALL-E 2. Unlike metadata, they
 * survive scaling and saving as JPEG. Their shapes and positions were measured on published pictures.
 */

import type { Picture } from '../image/picture.ts';
import { cutPixels } from '../image/pixels.ts';
import type { Declaration } from '../contract/provenance.ts';

type Pixels = Pick<Picture, 'rgb' | 'facts'>;

/** The picture's visible mark as a declaration; empty if there is none. */
export function readVisibleMark(picture: Pixels): readonly Declaration[] {
  const found =
    deviationsOfStar(picture) >= minDeviations
      ? { value: 'Gemini sparkle', generator: 'Google Gemini' }
      : distanceOfSquares(picture) <= maxDistance
        ? { value: 'DALL-E squares', generator: 'DALL-E 2' }
        : null;
  const rest = { origin: 'ai-generated', place: 'visible-mark', field: 'lower right' } as const;
  return found === null ? [] : [{ ...rest, ...found, assurance: 'watermark' }];
}

/**
 * Edges count as those of a star if they match by at least this many standard deviations of what chance would produce.
 * None of 3,124 pictures without a star exceeded 5.5. Of 47 others, in which a person sees one, 38 reach this value, 37
 * as JPEG 75, 38 at half size as JPEG 80, and 36 at a third (`bin/evaluate/watermarks.ts`).
 */
const minDeviations = 6.5;

/** Side of the star in pixels: 48 or 96 as generated; other sizes after scaling. */
const sides = { least: 12, most: 104, step: 1.06 };
/** Side of the star as a share of the shorter side of the picture. */
const shares = { least: 0.02, most: 0.14 };
/** Distance of the star's centre from the right and lower edges, in star sides: in most pictures, and in newer ones. */
const layouts = [1 / 2 + 2 / 3, 1 / 2 + 2] as const;

/** Number of cells along each side of the star, and along each side of the frame in which edges are compared. */
const cells = 24;
const framed = 30;
/** By how many cells the star may be away from the expected position. */
const slack = 3;
const patchSide = framed + 2 * slack;

/** Standard deviation, over photographs, of the correlation with a star at a fixed place. */
const chance = 0.06;

/** In standard deviations of what chance would produce; 0 if edges hardly follow the outline of a star. */
export function deviationsOfStar(picture: Pixels): number {
  const { width, height } = picture.facts;
  const shorter = Math.min(width, height);
  const corner = sumCorner(picture, Math.ceil(sides.most * (layouts[1] + patchSide / cells / 2)));
  const least = Math.max(sides.least, shares.least * shorter);
  const most = Math.min(sides.most, shares.most * shorter);
  let best = 0;
  for (let side = least; side <= most; side *= sides.step) {
    for (const layout of layouts) {
      const reach = side * (layout + patchSide / cells / 2);
      if (reach > corner.side) continue;
      best = Math.max(best, matchStar(cutPatch(corner, corner.side - reach, side / cells)));
    }
  }
  return best / chance;
}

/**
 * For each pixel in the lower right corner, sums of the colours above and to the left, from which means follow: `side + 1`
 * rows of `side + 1` entries of three colours.
 *
 * @param most - maximum side of the corner, which is smaller if the picture is.
 */
function sumCorner({ rgb, facts: { width, height } }: Pixels, most: number) {
  const side = Math.min(width, height, most);
  const stride = 3 * (side + 1);
  const sums = new Float64Array(stride * (side + 1));
  for (let y = 0; y < side; y++) {
    const from = 3 * ((height - side + y) * width + width - side);
    addRow(sums, stride, y, rgb.subarray(from, from + 3 * side));
  }
  return { side, sums };
}

function addRow(sums: Float64Array, stride: number, y: number, row: Uint8Array): void {
  for (let i = 0, at = (y + 1) * stride + 3; i < row.length; i++, at++) {
    sums[at] = row[i]! + sums[at - 3]! + sums[at - stride]! - sums[at - stride - 3]!;
  }
}

/** Mean colours of `patchSide` by `patchSide` cells of `step` pixels; the first begins at (`start`, `start`). */
function cutPatch(
  { side, sums }: ReturnType<typeof sumCorner>,
  start: number,
  step: number,
): Float64Array {
  const edges = patchSide + 1;
  const upTo = new Float64Array(3 * edges * edges);
  for (let i = 0, to = 0; i < edges; i++) {
    const row = Math.min(Math.floor(start + i * step), side - 1);
    const down = start + i * step - row;
    for (let j = 0; j < edges; j++) {
      const column = Math.min(Math.floor(start + j * step), side - 1);
      const right = start + j * step - column;
      let at = 3 * (row * (side + 1) + column);
      let below = at + 3 * (side + 1);
      for (let colour = 0; colour < 3; colour++, at++, below++, to++) {
        const above = (1 - right) * sums[at]! + right * sums[at + 3]!;
        upTo[to] =
          (1 - down) * above + down * ((1 - right) * sums[below]! + right * sums[below + 3]!);
      }
    }
  }
  const patch = new Float64Array(3 * patchSide * patchSide);
  for (let row = 0, to = 0; row < patchSide; row++) {
    for (let i = 0, at = 3 * row * edges; i < 3 * patchSide; i++, at++, to++) {
      const below = at + 3 * edges;
      patch[to] = (upTo[below + 3]! - upTo[below]! - upTo[at + 3]! + upTo[at]!) / (step * step);
    }
  }
  return patch;
}

/** The star is a square without four circles around its corners: their radius, and the offset of their centres. */
const circles = { radius: 0.6425, offset: 0.6435 };

/** How deep a point of the frame lies inside the star, in star sides; negative outside the star. */
function depthAt(column: number, row: number): number {
  const x = Math.abs(column - framed / 2) / cells;
  const y = Math.abs(row - framed / 2) / cells;
  const depth = Math.hypot(circles.offset - x, circles.offset - y) - circles.radius;
  return Math.min(depth, 1 / 2 - Math.max(x, y));
}

/** The share of each cell of the frame that the star covers. */
const star = Float64Array.from({ length: framed * framed }, (_, cell) => {
  const depth = depthAt((cell % framed) + 1 / 2, Math.floor(cell / framed) + 1 / 2);
  return Math.min(1, Math.max(0, depth * cells + 1 / 2));
});

/** In grey levels per cell: for a steeper edge, only the direction counts, not the height. */
const softness = 8;

/** Differences between the neighbours of each cell, divided by their length plus `softness`. */
function findEdges(plane: Float64Array, side: number) {
  const across = new Float64Array(plane.length);
  const down = new Float64Array(plane.length);
  for (let y = 1; y < side - 1; y++) {
    for (let x = 1, at = y * side + 1; x < side - 1; x++, at++) {
      const toRight = plane[at + 1]! - plane[at - 1]!;
      const toBelow = plane[at + side]! - plane[at - side]!;
      const length = Math.sqrt(toRight * toRight + toBelow * toBelow) + softness;
      across[at] = toRight / length;
      down[at] = toBelow / length;
    }
  }
  return { across, down };
}

/** The edges of the star on a mid-grey background. */
const outline = findEdges(
  star.map((share) => 64 * share),
  framed,
);
const outlineLength = Math.hypot(...outline.across, ...outline.down);

/** First cells of the frames in a patch: equally far from the right and the lower edge, to within a cell. */
const starts = Array.from({ length: 2 * slack + 1 }, (_, down) =>
  [down - 1, down, down + 1]
    .filter((right) => right >= 0 && right <= 2 * slack)
    .map((right) => down * patchSide + right),
).flat();

/** Correlation, -1..1, with the star's outline, in the frame where it is highest; 0 if what is there is not a star. */
function matchStar(patch: Float64Array): number {
  const grey = new Float64Array(patchSide ** 2).map((_, cell) => {
    const at = 3 * cell;
    return (patch[at]! + patch[at + 1]! + patch[at + 2]!) / 3;
  });
  const edges = findEdges(grey, patchSide);
  let best = 0;
  for (const first of starts) {
    const likeness = compare(edges, first);
    if (likeness > Math.max(best, minLikeness) && isBlended(patch, first)) best = likeness;
  }
  return best;
}

/** Correlation below which colours are not compared. */
const minLikeness = 0.2;

/** Correlation, -1..1, between the star's outline and the edges in the frame that begins at this cell of the patch. */
function compare({ across, down }: ReturnType<typeof findEdges>, first: number): number {
  let [both, squares] = [0, 1];
  for (let row = 0, cell = 0; row < framed; row++) {
    for (let at = first + row * patchSide, end = at + framed; at < end; at++, cell++) {
      const x = across[at]!;
      const y = down[at]!;
      both += x * outline.across[cell]! + y * outline.down[cell]!;
      squares += x * x + y * y;
    }
  }
  return both / Math.sqrt(squares) / outlineLength;
}

/** Cells of a frame inside and around the star, as positions relative to the first cell of the frame. */
const [inside, around] = [cellsOfDepth(0.03, 1), cellsOfDepth(-0.2, -0.03)];

function cellsOfDepth(least: number, most: number): readonly number[] {
  return [...star.keys()].flatMap((cell) => {
    const [column, row] = [cell % framed, Math.floor(cell / framed)];
    const depth = depthAt(column + 1 / 2, row + 1 / 2);
    return depth >= least && depth <= most ? [row * patchSide + column] : [];
  });
}

/** Opacity of the star: 0.5, or 0.3 in later pictures; the range allows for the effect of an uneven background. */
const opacities = { least: 0.18, most: 0.75 };
/** Maximum error of a colour, as a share of its distance from white. */
const maxError = 0.12;

/** Whether the colours in the star are a mixture of white and the colours around it. */
function isBlended(patch: Float64Array, first: number): boolean {
  const colours = [0, 1, 2].map((colour) => {
    const levelOf = (places: readonly number[]) =>
      mean(places.map((place) => patch[3 * (first + place) + colour]!));
    const before = levelOf(around);
    return { toWhite: 255 - before, gain: levelOf(inside) - before };
  });
  const squares = colours.reduce((sum, { toWhite }) => sum + toWhite ** 2, 0);
  const opacity = colours.reduce((sum, { toWhite, gain }) => sum + toWhite * gain, 0) / squares;
  const errors = colours.map(({ toWhite, gain }) => Math.abs(gain - opacity * toWhite));
  const isLikely = opacity >= opacities.least && opacity <= opacities.most;
  return isLikely && Math.max(...errors) <= maxError * Math.sqrt(squares / 3);
}

/** The colours of the squares of DALL-E 2, from left to right. */
const squareColours = [
  [255, 255, 102],
  [66, 255, 255],
  [81, 218, 76],
  [255, 110, 60],
  [60, 70, 255],
] as const;
/** Side of a square in pixels: 16 as generated; less after scaling. */
const squareSides = { least: 4, most: 17 };
/** By how many levels the corner's colours may differ from these; without the squares, they differ by 75 or more. */
const maxDistance = 40;

/** Root mean square difference between the corner's colours and those of the squares, in levels. */
function distanceOfSquares(picture: Pixels): number {
  const { width, height } = picture.facts;
  const count = squareColours.length;
  let nearest = Infinity;
  for (let side = squareSides.least; side <= squareSides.most; side++) {
    if (side > height || count * side > width) break;
    const inset = side >> 2;
    const inner = { top: height - side + inset, width: side - 2 * inset, height: side - 2 * inset };
    const differences = squareColours.flatMap((colours, square) => {
      const left = width - (count - square) * side + inset;
      const { rgb } = cutPixels(picture, { ...inner, left });
      return colours.map(
        (level, colour) => level - mean([...rgb].filter((_, i) => i % 3 === colour)),
      );
    });
    nearest = Math.min(nearest, Math.hypot(...differences) / Math.sqrt(differences.length));
  }
  return nearest;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
