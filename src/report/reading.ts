/** What the numbers of an examination amount to in words: levels and places. The words themselves live elsewhere. */

import type { CellMaps, MapName } from '../engine/result.ts';

/** How much of something was measured. */
export const levels = ['veryLow', 'low', 'medium', 'high', 'veryHigh'] as const;
export type Level = (typeof levels)[number];

/** Ninths of the picture, row by row from the upper left. */
export const places = [
  'upperLeft',
  'upperCentre',
  'upperRight',
  'middleLeft',
  'centre',
  'middleRight',
  'lowerLeft',
  'lowerCentre',
  'lowerRight',
] as const;
export type Place = (typeof places)[number];

/** Fifths of the scale 0..1. */
export function levelOf(score: number): Level {
  const fifth = Math.floor(Math.min(Math.max(score, 0), 0.999) * 5);
  return levels[Number.isNaN(fifth) ? 0 : fifth]!;
}

export interface MapReading {
  /** Mean and greatest value over all cells, 0..1. */
  readonly mean: number;
  readonly highest: number;
  /** Where the greatest value lies; the first one in reading order when several are equal. */
  readonly place: Place;
  /** Share of cells above the middle of the scale, 0..1. */
  readonly shareAboveHalf: number;
  /** True when no place stands out: the whole map lies within a tenth of the scale. */
  readonly isEven: boolean;
}

export function readMap({ values, columns, rows }: CellMaps, name: MapName): MapReading {
  const cells = values[name];
  let sum = 0;
  let above = 0;
  let at = 0;
  let lowest = 65535;
  for (let i = 0; i < cells.length; i++) {
    const value = cells[i]!;
    sum += value;
    if (value > 32767) above++;
    if (value > cells[at]!) at = i;
    if (value < lowest) lowest = value;
  }
  const row = third(Math.floor(at / columns), rows);
  return {
    mean: sum / cells.length / 65535,
    highest: cells[at]! / 65535,
    place: places[3 * row + third(at % columns, columns)]!,
    shareAboveHalf: above / cells.length,
    isEven: cells[at]! - lowest < 6554,
  };
}

/** 0, 1 or 2: the third of `count` cells that this one lies in. */
function third(position: number, count: number): number {
  return Math.floor(((position + 0.5) * 3) / count);
}
