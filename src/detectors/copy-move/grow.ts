/** Grows regions and keeps each only once, however many parts of it the field contained. */

import type { Details } from './features.ts';
import type { MatchField } from './match-field.ts';
import { refine, type Refined } from './refine.ts';
import { isDuplicate, type KnownRegion, type Region } from './regions.ts';

/** Bounds the time: more seeds come only from patterns, and the largest carry the most information. */
const maxSeeds = 40;
/** Minimum cells of a grown region: smaller ones match by chance. */
const minCells = 15;
/** Limit on the total area of all regions, relative to the picture: patterns cover it many times over. */
const maxCover = 2;

interface GrowthInput {
  readonly field: MatchField;
  /** Minimum displacement: anything that moves less is the same object. */
  readonly minPx: number;
}

/** @param seeds - sorted by size, largest first. */
export function growAll(
  seeds: readonly Region[],
  details: Details,
  { field, minPx }: GrowthInput,
): readonly Refined[] {
  const { columns } = field;
  const known: (Refined & KnownRegion)[] = [];
  let grown = 0;
  for (const seed of seeds.slice(0, maxSeeds)) {
    if (known.some((one) => isDuplicate(seed, one, columns))) continue;
    const region = refine(seed, details, { columns, minCells, minPx });
    if (region === null) continue;
    grown += region.cells.length;
    if (known.some((one) => isDuplicate(region, one, columns))) continue;
    known.push({ ...region, has: marked(region.cells, field.target.length) });
    if (grown > maxCover * field.target.length) break;
  }
  return known;
}

function marked(cells: Int32Array, length: number): Uint8Array {
  const has = new Uint8Array(length);
  for (const cell of cells) has[cell] = 1;
  return has;
}
