/**
 * Lists the regions marked by the methods that look for changes. The order of the list gives each place its number
 * wherever it is shown.
 */

import type { LocalisedFinding } from '../detectors/detector.ts';
import type { CellMap } from '../detectors/regions.ts';
import { largestParts, type Region, type Size } from '../detectors/regions.ts';
import type { Place } from './result.ts';

/** The value from which a cell counts as marked. 0.5 is neutral in the map of a single method. */
const markedFrom = { fusion: 0.5, method: 0.51 } as const;
/** Number of regions a method marks: copy-move the likeliest copy and its source. */
const partsOfMethod: Readonly<Record<string, number>> = { 'copy-move': 2 };

/**
 * Places marked by the fusion come first, then those that single methods mark.
 *
 * @param fused - probability that each cell was changed; null when the fusion suspects no change.
 * @param indicating - findings that indicate a change.
 */
export function locatePlaces(
  fused: CellMap | null,
  indicating: readonly LocalisedFinding[],
  size: Size,
): readonly Place[] {
  const found: readonly Place[] = [
    ...(fused === null ? [] : largestParts(fused, markedFrom.fusion, size, 1)).map((region) => ({
      region,
      methods: [],
    })),
    ...indicating
      .toSorted((one, other) => other.finding.score - one.finding.score)
      .flatMap(({ finding: { method }, map }) =>
        largestParts(map, minOf(method, map), size, partsOfMethod[method] ?? 1).map((region) => ({
          region,
          methods: [method],
        })),
      ),
  ];
  return found.reduce<readonly Place[]>(joined, []);
}

/** The finding of copies describes the likeliest pair: two regions of different pairs are no copies of each other. */
function minOf(method: string, { values }: CellMap): number {
  if (method !== 'copy-move') return markedFrom.method;
  return values.reduce((most, value) => Math.max(most, value), markedFrom.method);
}

/** Merges marks of the same place, keeping the region of the first. */
function joined(places: readonly Place[], { region, methods }: Place): readonly Place[] {
  const at = places.findIndex((place) => isSamePlace(place.region, region));
  if (at === -1) return [...places, { region, methods }];
  return places.map((place, index) =>
    index === at ? { ...place, methods: [...new Set([...place.methods, ...methods])] } : place,
  );
}

/** Minimum overlap, as a share of the smaller box, for two marks to count as the same place. */
const minOverlap = 0.5;

function isSamePlace(one: Region, other: Region): boolean {
  const across =
    Math.min(one.left + one.width, other.left + other.width) - Math.max(one.left, other.left);
  const down =
    Math.min(one.top + one.height, other.top + other.height) - Math.max(one.top, other.top);
  const smaller = Math.min(one.width * one.height, other.width * other.height);
  return across > 0 && down > 0 && across * down >= minOverlap * smaller;
}
