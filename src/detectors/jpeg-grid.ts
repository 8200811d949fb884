/**
 * Whether a region was cut from another JPEG: its grid of 8 by 8 blocks then hardly ever falls on that of the picture
 * around it. The grids do not show which of the two came first: after a last save it may be the older one that shows.
 * Reads the pixels as stored, so it also works on lossless files that were JPEG before.
 */

import type { Picture } from '../image/picture.ts';
import { blockPx } from './blocks.ts';
import {
  type Detector,
  type Finding,
  noWeight,
  type CellMap,
  strengthOfRatio,
} from './detector.ts';
import {
  cellVotes,
  findBoxes,
  findMainGrid,
  type GridBox,
  type MainGrid,
  countVotes,
} from './jpeg-grid-regions.ts';
import { castVotes, isTooSmallToVote, nearestVote, tilePx, type Votes } from './jpeg-grid-votes.ts';
import { areaOf, largestRegion, measuresOf, type Region } from './regions.ts';
import type { FindingStatement } from './statements.ts';
import { type Shift, storedLuma, toUpright, uprightShift } from './stored-plane.ts';

const method = 'jpeg-grid';

/** Logarithm to the base of ten of how many such grids are to be expected in pure noise. */
const gridBelow = -3;
/**
 * Likewise of a box. Photographs are no pure noise: at the theory's limit of 0, 5 of 80 untouched files showed a box. At
 * this one 6 of 400 changed pictures of the calibration split did, 1 of their 400 twins, and 2 of 270 scores of its
 * photographs (as they are, JPEG 75, half size): 0.015 against 3 in 670.
 */
const boxBelow = -6;
const ratioOfBox = 3;

export const jpegGrid: Detector = {
  method,
  examine: ({ picture }) => {
    const { facts } = picture;
    const plane = storedLuma(picture);
    if (isTooSmallToVote(plane)) return { method, reason: 'too_small_for_grids' };
    const votes = castVotes(plane);
    const counted = countVotes(votes);
    const main = findMainGrid(counted);
    const ofGrid = measuresOfGrid(main, votes);
    const findingOf = (statement: FindingStatement): Finding => ({
      method,
      ...noWeight,
      statement,
      measures: ofGrid,
      source,
    });
    if (main.logFalseAlarms > gridBelow) return findingOf({ code: 'no_grid', values: {} });
    const boxes = findBoxes(counted, (grid) => isForeign(grid, main.grid));
    const certain = boxes.filter(({ logFalseAlarms }) => logFalseAlarms < boxBelow);
    const [first] = certain;
    if (first === undefined) return findingOf(oneGrid(main, facts));
    const map = toUpright(mark(certain, votes, facts), facts);
    const region = largestRegion(map, 0.75, facts);
    if (region === null) return findingOf(oneGrid(main, facts));
    const shift = asShown(shiftOf(first.grid, main.grid), facts);
    return { map, finding: shifted({ ofGrid, box: first, shift, region, facts }) };
  },
};

/**
 * Neither the picture's own grid nor one half a block away: WebP and halved colours repeat every four or sixteen
 * pixels and draw votes there.
 */
function isForeign(grid: number, main: number): boolean {
  const { across, down } = shiftOf(grid, main);
  return across % 4 !== 0 || down % 4 !== 0;
}

/** How far `grid` is to the right of and below `main` in the stored picture, 0..7 each. */
function shiftOf(grid: number, main: number): Shift {
  const across = withinBlock((grid % blockPx) - (main % blockPx));
  const down = withinBlock(Math.floor(grid / blockPx) - Math.floor(main / blockPx));
  return { across, down };
}

function withinBlock(pixels: number): number {
  return (pixels + blockPx) % blockPx;
}

/** The shift that a viewer of the upright picture measures. */
function asShown(shift: Shift, { orientation }: Picture['facts']): Shift {
  const { across, down } = uprightShift(shift, orientation);
  return { across: withinBlock(across), down: withinBlock(down) };
}

/** 0.5 outside the boxes: a region that shares the picture's grid may still have been inserted. */
function mark(boxes: readonly GridBox[], votes: Votes, facts: Picture['facts']): CellMap {
  const { width, height, tileStep } = votes;
  const marked = new Float32Array((width * height) / cellVotes ** 2).fill(0.5);
  for (const { cells, logFalseAlarms } of boxes.toReversed()) {
    for (const cell of cells) marked[cell] = certaintyOf(logFalseAlarms);
  }
  const columns = Math.ceil(facts.storedWidth / blockPx);
  const rows = Math.ceil(facts.storedHeight / blockPx);
  const voteAt = (cell: number, length: number) =>
    Math.floor(nearestVote(cell * blockPx + blockPx / 2, tileStep, length) / cellVotes);
  const values = Float32Array.from({ length: columns * rows }, (_, at) => {
    const row = voteAt(Math.floor(at / columns), height);
    return marked[(row * width) / cellVotes + voteAt(at % columns, width)]!;
  });
  return { cellPx: blockPx, columns, rows, values };
}

/** 0.75 at the limit, near 1 from 20 powers of ten below it on. */
function certaintyOf(logFalseAlarms: number): number {
  return 1 - 0.25 * Math.exp((logFalseAlarms - boxBelow) / 7);
}

/** Where the grid begins is counted in the stored picture. */
function measuresOfGrid({ grid, share, logFalseAlarms }: MainGrid, { tileStep }: Votes) {
  return {
    gridLeft: grid % blockPx,
    gridTop: Math.floor(grid / blockPx),
    gridShare: share,
    gridLogFalseAlarms: logFalseAlarms,
    lookedAtShare: (tilePx / tileStep) ** 2,
  };
}

interface Shifted {
  readonly ofGrid: Finding['measures'];
  readonly box: GridBox;
  readonly shift: Shift;
  readonly region: Region;
  readonly facts: Picture['facts'];
}

function shifted({ ofGrid, box, shift, region, facts }: Shifted): Finding {
  const { across, down } = shift;
  return {
    method,
    score: certaintyOf(box.logFalseAlarms),
    speaksFor: 'fake',
    strength: strengthOfRatio(ratioOfBox),
    statement: { code: 'grid_shifted', values: { ...areaOf(region, facts), across, down } },
    measures: {
      ...ofGrid,
      shiftAcross: across,
      shiftDown: down,
      logFalseAlarms: box.logFalseAlarms,
      ...measuresOf(region),
    },
    source,
  };
}

function oneGrid({ grid }: MainGrid, { orientation }: Picture['facts']): FindingStatement {
  const [left, top] = [grid % blockPx, Math.floor(grid / blockPx)];
  return { code: 'one_grid', values: { left, top, isTurned: orientation !== 1 } };
}

const source =
  'Nikoukhah, Anger, Colom, Morel and Grompone von Gioi, "ZERO: a Local JPEG Grid Origin Detector Based on the Number of DCT Zeros and its Applications in Image Forensics", Image Processing On Line 11 (2021), 396-433.';
