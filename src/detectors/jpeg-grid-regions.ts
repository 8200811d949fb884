/** From votes to grids: the picture's main grid, and boxes whose votes for another one are too many for chance. */

import { noVote, type Votes } from './jpeg-grid-votes.ts';

/** Side of a cell in votes: as many neighbouring votes as one block decides, so a cell counts as one trial. */
export const cellVotes = 8;
const votesInCell = cellVotes * cellVotes;
const grids = 64;

/** How many votes each grid has in each cell. */
interface VoteCounts {
  readonly columns: number;
  readonly rows: number;
  /** One plane of cells a grid, each 0..64. */
  readonly counts: Uint8Array;
}

/** A box of cells whose votes go to one grid more often than chance explains. */
export interface GridBox {
  readonly grid: number;
  /** In cells; right and bottom are the last ones inside. */
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  /** log10 of the number of false alarms; below 0 where less than one such box is to be expected in pure noise. */
  readonly logFalseAlarms: number;
  /** Cells of the group that the box was drawn around. */
  readonly cells: Int32Array;
}

export function countVotes({ width, height, votes }: Votes): VoteCounts {
  const [columns, rows] = [width / cellVotes, height / cellVotes];
  const counts = new Uint8Array(grids * columns * rows);
  for (let y = 0; y < height; y++) {
    const row = Math.floor(y / cellVotes) * columns;
    for (let x = 0; x < width; x++) {
      const grid = votes[y * width + x]!;
      if (grid !== noVote) counts[grid * columns * rows + row + (x >> 3)]!++;
    }
  }
  return { columns, rows, counts };
}

export interface MainGrid {
  readonly grid: number;
  /** Share 0..1 of all votes cast. */
  readonly share: number;
  readonly logFalseAlarms: number;
}

/** The grid with most votes; 64 grids are tried. */
export function findMainGrid({ columns, rows, counts }: VoteCounts): MainGrid {
  const cells = columns * rows;
  const sums = Array.from({ length: grids }, (_, grid) =>
    totalOf(counts.subarray(grid * cells, (grid + 1) * cells)),
  );
  const grid = sums.indexOf(Math.max(...sums));
  const cast = Math.max(1, totalOf(sums));
  const tail = logTail({
    trials: Math.ceil(cast / votesInCell),
    hits: Math.floor(sums[grid]! / votesInCell),
    chance: 1 / grids,
    logs: logFactorials(Math.ceil(cast / votesInCell)),
  });
  return { grid, share: sums[grid]! / cast, logFalseAlarms: tail + Math.log10(grids) };
}

function totalOf(values: ArrayLike<number>): number {
  let total = 0;
  for (let at = 0; at < values.length; at++) total += values[at]!;
  return total;
}

/** Of 64: from here on a cell supports a grid. Sixteen times what chance gives, so that stray votes join no regions. */
const minInCell = 16;

/** Boxes of the grids asked for, most certain first, that chance explains less than once. */
export function findBoxes(counted: VoteCounts, isAsked: (grid: number) => boolean): GridBox[] {
  const { columns, rows } = counted;
  const cells = columns * rows;
  const logs = logFactorials(cells);
  // A picture of n cells has fewer than n^2 / 4 boxes, each tried for 64 grids.
  const logTests = 2 * Math.log10(cells) + Math.log10(grids / 4);
  const boxes: GridBox[] = [];
  for (let grid = 0; grid < grids; grid++) {
    if (!isAsked(grid)) continue;
    const counts = counted.counts.subarray(grid * cells, (grid + 1) * cells);
    for (const group of groupsOf(counts, columns, rows)) {
      const box = boxAround(group, columns);
      const hits = Math.floor(votesIn(counts, columns, box) / votesInCell);
      const trials = (box.right - box.left + 1) * (box.bottom - box.top + 1);
      const logFalseAlarms = logTests + logTail({ trials, hits, chance: 1 / grids, logs });
      if (logFalseAlarms < 0) boxes.push({ grid, ...box, logFalseAlarms, cells: group });
    }
  }
  return boxes.toSorted((a, b) => a.logFalseAlarms - b.logFalseAlarms);
}

/** Cells that support the grid and touch each other, by a side or a corner. */
function* groupsOf(counts: Uint8Array, columns: number, rows: number): Generator<Int32Array> {
  const seen = new Uint8Array(counts.length);
  const waiting = new Int32Array(counts.length);
  for (let start = 0; start < counts.length; start++) {
    if (seen[start] === 1 || counts[start]! < minInCell) continue;
    seen[start] = 1;
    waiting[0] = start;
    let count = 1;
    for (let next = 0; next < count; next++) {
      const cell = waiting[next]!;
      const x = cell % columns;
      const y = (cell - x) / columns;
      for (let ny = Math.max(0, y - 1); ny <= Math.min(rows - 1, y + 1); ny++) {
        for (let nx = Math.max(0, x - 1); nx <= Math.min(columns - 1, x + 1); nx++) {
          const beside = ny * columns + nx;
          if (seen[beside] === 1 || counts[beside]! < minInCell) continue;
          seen[beside] = 1;
          waiting[count++] = beside;
        }
      }
    }
    yield waiting.slice(0, count);
  }
}

function boxAround(cells: Int32Array, columns: number) {
  let [left, top, right, bottom] = [columns, Number.POSITIVE_INFINITY, 0, 0];
  for (const cell of cells) {
    const x = cell % columns;
    const y = (cell - x) / columns;
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  return { left, top, right, bottom };
}

type Box = Pick<GridBox, 'left' | 'top' | 'right' | 'bottom'>;

function votesIn(counts: Uint8Array, columns: number, { left, top, right, bottom }: Box): number {
  let votes = 0;
  for (let y = top; y <= bottom; y++) {
    for (let x = left; x <= right; x++) votes += counts[y * columns + x]!;
  }
  return votes;
}

/** log10 of n!, for n from 0 to `most`. */
export function logFactorials(most: number): Float64Array {
  const logs = new Float64Array(most + 1);
  for (let n = 1; n <= most; n++) logs[n] = logs[n - 1]! + Math.log10(n);
  return logs;
}

interface Trials {
  readonly trials: number;
  readonly hits: number;
  /** Of one hit, 0..1, both excluded. */
  readonly chance: number;
  /** From `logFactorials`, of at least `trials`. */
  readonly logs: Float64Array;
}

/** log10 of the probability of `hits` or more; 0 where no more hits came than are to be expected. */
export function logTail({ trials, hits, chance, logs }: Trials): number {
  if (hits <= trials * chance) return 0;
  const first =
    logs[trials]! -
    logs[hits]! -
    logs[trials - hits]! +
    hits * Math.log10(chance) +
    (trials - hits) * Math.log10(1 - chance);
  // Beyond the mean each term is smaller than the one before by a factor that falls.
  const odds = chance / (1 - chance);
  let [term, sum] = [1, 1];
  for (let i = hits; i < trials && term > 1e-12 * sum; i++) {
    term *= ((trials - i) / (i + 1)) * odds;
    sum += term;
  }
  return first + Math.log10(sum);
}
