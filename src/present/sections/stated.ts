/**
 * The figures of a result and the region it marks, for every place of a report that names them: page one, findings and
 * measurements cannot differ. What has no tested meaning for this picture is null and stated nowhere.
 */

import { placeOf, type Region } from '../../detectors/regions.ts';
import type { Examined } from '../../engine/result.ts';
import { readFigures } from '../result.ts';
import type { SectionInput } from './blocks.ts';

/** What all methods together mark as changed, where that has a tested meaning. */
export function markedRegion(examined: Pick<Examined, 'decision' | 'manipulation'>): Region | null {
  return readFigures(examined).changed === null ? null : (examined.manipulation?.region ?? null);
}

/** In words; null where no search was made or its result has no tested meaning. */
export function writeRegion({
  examination,
  catalogue,
  labels,
  numbers,
}: SectionInput): string | null {
  if (readFigures(examination).changed === null) return null;
  const region = markedRegion(examination);
  if (region === null) return catalogue.document.head.noRegion;
  const { findings: words } = catalogue;
  const { left, top, width, height, share } = region;
  const place = words.places[placeOf(region, examination.facts)];
  const box = `${numbers.count(width)} × ${numbers.count(height)} ${labels.pixels}`;
  const corner = `x ${numbers.count(left)}, y ${numbers.count(top)}`;
  return `${place}; ${words.writeShare(share)}; ${box}, ${corner}`;
}

/**
 * The bounds of the probability that either is so, whatever the two have to do with each other; null unless both are
 * stated.
 *
 * @see M. Fréchet, "Généralisation du théorème des probabilités totales", Fundamenta Mathematicae 25 (1935).
 */
export function writeJoint({
  examination,
  catalogue,
  numbers,
}: Pick<SectionInput, 'examination' | 'catalogue' | 'numbers'>): string | null {
  const { generated, changed } = readFigures(examination);
  if (generated === null || changed === null) return null;
  const low = Math.max(generated.value, changed);
  const high = generated.value + changed;
  const least = numbers.score(low);
  // "above 0.99" is a bound by itself.
  if (!/^\d/.test(least)) return least;
  // That it is no more than certain needs no words.
  return catalogue.measurements.results.joint(least, high < 0.995 ? numbers.score(high) : null);
}
