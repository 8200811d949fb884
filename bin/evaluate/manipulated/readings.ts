/** The tables that the training command `locator-fuse` fits the fusion on; its doc comment describes the columns. */

import { createRandom } from '../../../src/engine/calibration.ts';
import type { CellMaps } from '../../../src/detectors/result.ts';
import type { Mask } from './judge.ts';
import type { Row } from './read-cases.ts';

/** Cells sampled from a picture: enough to represent its highest hundredth. */
const drawn = { changed: 250, beside: 550, twin: 300 };
/**
 * Share of a cell. Cells on a border count too, otherwise the level of the map is fitted too high.
 */
const changedFrom = 0.5;

export interface Tables {
  readonly pictures: readonly string[];
  readonly places: readonly string[];
}

/** RFC 4180, with a header; a method without a result leaves its field empty. */
export function headsOf(methods: readonly string[]): Tables {
  const pictures = [
    'picture',
    'pair',
    'source',
    'condition',
    'kind',
    'changed',
    'pixels',
    'quality',
  ];
  return {
    pictures: [[...pictures, ...methods].join(',')],
    places: [['picture', 'condition', 'changed', 'pixels', 'weight', ...methods].join(',')],
  };
}

/** @param kind - of the pair's change, in the row of the twin too. */
export function linesOf(row: Row, kind: string, methods: readonly string[]): Tables {
  const { set, source } = row.case;
  const isPair = set === 'simulated';
  const shares = sharesOf(row);
  const isChanged = row.mask !== null;
  const head = [
    nameOf(row),
    isPair ? source : '',
    isPair ? '' : source,
    row.condition,
    isPair ? kind : '',
    isChanged ? 1 : 0,
    pixelsOf(row),
    row.quality,
  ];
  const scores = methods.map((method) => rounded(row.scores[method]));
  return {
    pictures: [[...head, ...scores].join(',')],
    places: isPair ? placesOf(row, shares, methods) : [],
  };
}

/** With the folder and number of the pair, because files in several folders have the same names. */
function nameOf({ case: { name, set, source } }: Row): string {
  return set === 'simulated' ? `${source}/${name}` : name;
}

function placesOf(row: Row, shares: Float32Array, methods: readonly string[]): readonly string[] {
  const random = createRandom(Number(row.case.source.split(' ').at(-1)) + 1);
  const isTwin = row.mask === null;
  const inside = indicesOf(shares, (share) => share > changedFrom);
  const outside = indicesOf(shares, (share) => share <= changedFrom);
  const lines = (cells: readonly number[], most: number, changed: 0 | 1) => {
    const chosen = draw(cells, most, random);
    const weight = (cells.length / chosen.length).toFixed(3);
    return chosen.map((cell) => {
      const values = methods.map((method) => valueAt(row.maps, method, cell));
      return [nameOf(row), row.condition, changed, pixelsOf(row), weight, ...values].join(',');
    });
  };
  return [
    ...lines(inside, drawn.changed, 1),
    ...lines(outside, isTwin ? drawn.twin : drawn.beside, 0),
  ];
}

function pixelsOf({ megapixels }: Row): number {
  return Math.round(1e6 * megapixels);
}

function valueAt({ methods }: CellMaps, method: string, cell: number): string {
  const values = methods[method];
  return values === undefined ? '' : rounded(values[cell]! / 65_535);
}

/** Mean of the mask in each cell, 0..1. */
function sharesOf({ maps, mask }: Row): Float32Array {
  const { columns, rows, cellPx } = maps;
  if (mask === null) return new Float32Array(columns * rows);
  return Float32Array.from({ length: columns * rows }, (_, cell) => {
    const [left, top] = [(cell % columns) * cellPx, Math.floor(cell / columns) * cellPx];
    return meanOf(mask, left, top, cellPx);
  });
}

function meanOf({ width, height, values }: Mask, left: number, top: number, side: number): number {
  let [sum, count] = [0, 0];
  for (let y = top; y < Math.min(height, top + side); y++) {
    for (let x = left; x < Math.min(width, left + side); x++) {
      sum += values[y * width + x]! / 255;
      count++;
    }
  }
  return sum / count;
}

function indicesOf(shares: Float32Array, belongs: (share: number) => boolean): readonly number[] {
  return [...shares.keys()].filter((cell) => belongs(shares[cell]!));
}

/** At most `most` of them, in random order (Fisher and Yates 1938). */
function draw(cells: readonly number[], most: number, random: () => number): readonly number[] {
  const left = [...cells];
  const count = Math.min(most, left.length);
  for (let at = 0; at < count; at++) {
    const other = at + Math.floor(random() * (left.length - at));
    [left[at], left[other]] = [left[other]!, left[at]!];
  }
  return left.slice(0, count);
}

function rounded(value: number | undefined): string {
  return value === undefined ? '' : String(Number(value.toFixed(5)));
}
