/** Turns the scores at every patch position, and the evidence for local changes, into one value per cell. */

import type { CellGrid, CellMap } from '../detectors/regions.ts';
import type { Size } from '../image/pixels.ts';
import type { Calibration } from '../contract/manifest.ts';
import type { TraceModel } from '../inference/networks.ts';
import {
  boundedLogit,
  calibrated,
  findQuantiles,
  sigmoid,
  toFakeProbability,
} from './calibration.ts';
import type { PatchScores } from './patch-scores.ts';
import { toOutlierScore } from './anomaly.ts';
import { coveringGrid } from './patches.ts';
import type { CellMaps, Manipulation } from '../detectors/result.ts';

interface Localisation {
  readonly manipulation: Manipulation;
  /** The probability of a change as a share, 0..1, of the threshold for a suspicion; 1 if a method suspects alone. */
  readonly suspicion: number;
  /** Probability, 0..1, that each cell was changed, provided that something in the picture was. */
  readonly changed: Float32Array;
  readonly methods: Readonly<Record<string, Float32Array>>;
}

const full = 65_535;

/** A cell shows the score of the patch around it or, near the border, of the nearest patch inside the picture. */
export function drawTraces(patchScores: PatchScores, model: TraceModel, grid: CellGrid) {
  const { calibration } = model.manifest;
  const { positions, cellPx, logits, distances } = patchScores;
  const draw = (valueAt: (place: number) => number) => {
    const length = positions.columns * positions.rows;
    const places = Float64Array.from({ length }, (_, place) => valueAt(place));
    const values = Float32Array.from(valueOfEachCell(patchScores, places));
    return ontoGrid({ cellPx, ...patchScores.grid, values }, grid);
  };
  const drawClass = (output: number, how: Calibration) =>
    draw((place) => calibrated(logits[3 * place + output]!, how));
  return {
    grid,
    fakeProbability: toFakeProbability(patchScores.meanLogits, model.manifest),
    real: drawClass(0, calibration.real),
    generated: drawClass(1, calibration.fake),
    compression: drawClass(2, calibration.compression),
    outlierScores: draw((place) => toOutlierScore(distances[place]!, model.statistics)),
  };
}

/**
 * Computes the four maps and the maps of methods, of which `fusion` shows where something was changed, if anything was;
 * even in an untouched picture, some regions stand out there.
 */
export function drawMaps(
  traces: ReturnType<typeof drawTraces>,
  localisation: Localisation,
): CellMaps {
  const { manipulation, suspicion, changed, methods } = localisation;
  const odds = new Float64Array(changed).map(boundedLogit);
  const [usual = 0] = findQuantiles(odds, [0.5]);
  // Multiplies the odds of two signals: distance from the training data, and how far a cell exceeds the median for local
  // changes, which counts only to the degree that a change is suspected.
  const anomaly = traces.outlierScores.map((value, cell) =>
    sigmoid(boundedLogit(value) + manipulation.probability * (odds[cell]! - usual)),
  );
  // What was generated or changed: the probability that the picture is generated, times that of the cell, or the suspicion
  // of a change, times the probability that the cell was changed. Odd regions alone stay dark.
  const fake = traces.generated.map((value, cell) =>
    Math.max(traces.fakeProbability * value, suspicion * changed[cell]!),
  );
  return {
    ...traces.grid,
    values: {
      real: quantised(traces.real),
      fake: quantised(fake),
      compression: quantised(traces.compression),
      anomaly: quantised(anomaly),
    },
    methods: Object.fromEntries(
      Object.entries({ fusion: changed, ...methods }).map(([method, values]) => [
        method,
        quantised(values),
      ]),
    ),
  };
}

/** For each cell, the distance between the patch around it and the training data. */
export function cellDistances(patchScores: PatchScores): Float64Array {
  return valueOfEachCell(patchScores, patchScores.distances);
}

/** Quantises values 0..1 to whole numbers 0..65535. */
export function quantised(values: Float32Array): Uint16Array {
  const stored = new Uint16Array(values.length);
  for (let at = 0; at < values.length; at++) stored[at] = Math.round(full * values[at]!);
  return stored;
}

/** Each cell gets the value of the window that is centred on it, or of the nearest window. */
function valueOfEachCell(
  { grid, window, positions: places }: PatchScores,
  values: Float64Array,
): Float64Array {
  const cells = new Float64Array(grid.columns * grid.rows);
  for (let row = 0; row < grid.rows; row++) {
    const top = clamped(row - (window.rows >> 1), places.rows - 1) * places.columns;
    for (let column = 0; column < grid.columns; column++) {
      const left = clamped(column - (window.columns >> 1), places.columns - 1);
      cells[row * grid.columns + column] = values[top + left]!;
    }
  }
  return cells;
}

function clamped(value: number, last: number): number {
  return Math.min(last, Math.max(0, value));
}

/** Cell size by picture size; beyond the last entry, 16 px. A map then has about 30,000 cells. */
const cellSides = [
  { cellPx: 4, maxPixels: 500_000 },
  { cellPx: 8, maxPixels: 2_000_000 },
] as const;
const coarsestPx = 16;

/** Chooses the grid of a picture's maps: fine enough for the parts that people change, but small enough to store. */
export function gridOfMaps(size: Size): CellGrid {
  const pixels = size.width * size.height;
  const cellPx = cellSides.find(({ maxPixels }) => pixels <= maxPixels)?.cellPx ?? coarsestPx;
  return { cellPx, ...coveringGrid(size, cellPx) };
}

/** The mean of the cells inside a larger one; interpolated linearly between cell centres for a smaller one. */
export function ontoGrid(map: CellMap, grid: CellGrid): Float32Array {
  const { columns, rows, cellPx } = grid;
  const across = weightsAlong(columns, cellPx, map.columns, map.cellPx);
  const down = weightsAlong(rows, cellPx, map.rows, map.cellPx);
  const answer = new Float32Array(columns * rows);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      answer[row * columns + column] = meanOfCell(map, across, column, down, row);
    }
  }
  return answer;
}

type Weights = ReturnType<typeof weightsAlong>;

function meanOfCell(map: CellMap, across: Weights, column: number, down: Weights, row: number) {
  let sum = 0;
  for (let v = down.starts[row]!; v < down.starts[row + 1]!; v++) {
    const line = down.indices[v]! * map.columns;
    const high = down.weights[v]!;
    for (let h = across.starts[column]!; h < across.starts[column + 1]!; h++) {
      sum += high * across.weights[h]! * map.values[line + across.indices[h]!]!;
    }
  }
  return sum;
}

type Share = readonly [index: number, weight: number];

/** For each target cell along one axis, its source cells, with weights that add up to 1, from its start to the next. */
function weightsAlong(count: number, cellPx: number, sourceCount: number, sourcePx: number) {
  const sharesByCell = Array.from({ length: count }, (_, cell): readonly Share[] =>
    cellPx > sourcePx
      ? averaged(cell * cellPx, (cell + 1) * cellPx, sourceCount, sourcePx)
      : interpolated((cell + 0.5) * cellPx, sourceCount, sourcePx),
  );
  const starts = new Int32Array(count + 1);
  sharesByCell.forEach((shares, cell) => (starts[cell + 1] = starts[cell]! + shares.length));
  const all = sharesByCell.flat();
  return {
    starts,
    indices: Int32Array.from(all, ([index]) => index),
    weights: Float64Array.from(all, ([, weight]) => weight),
  };
}

function averaged(from: number, to: number, count: number, px: number): readonly Share[] {
  const shares: Share[] = [];
  const end = Math.min(to, count * px);
  for (let index = Math.floor(from / px); index < count && index * px < end; index++) {
    const overlap = Math.min(end, (index + 1) * px) - Math.max(from, index * px);
    shares.push([index, overlap / (end - from)]);
  }
  return shares;
}

function interpolated(middle: number, count: number, px: number): readonly Share[] {
  const place = middle / px - 0.5;
  const before = Math.floor(place);
  const share = place - before;
  const first = clamped(before, count - 1);
  if (share === 0) return [[first, 1]];
  return [
    [first, 1 - share],
    [clamped(before + 1, count - 1), share],
  ];
}
