/** Compares what two examinations of the same picture found: field by field, and maps cell by cell. */

import { toPlain } from './canonical-json.ts';

/** Other processors and versions round differently; below this nobody who reads a report can tell. */
export const numberTolerance = 1e-4;

export interface FieldDifference {
  /** Such as `examination.decision.fakeProbability`. */
  readonly path: string;
  readonly recorded: unknown;
  readonly found: unknown;
  /** `rounding` within the tolerance; `wording` where a sentence differs, whose numbers are compared as such; else `value`. */
  readonly kind: 'rounding' | 'wording' | 'value';
}

export interface Comparison {
  /** Single values that were compared; a map counts its cells. */
  readonly values: number;
  readonly differences: readonly FieldDifference[];
}

/** Both as JSON has them. */
export function compareFields(recorded: unknown, found: unknown): Comparison {
  const differences: FieldDifference[] = [];
  let values = 0;
  const walk = (path: string, one: unknown, other: unknown): void => {
    if (mapPath.test(path) && isMap(one) && isMap(other) && one.length === other.length) {
      values += one.length;
      differences.push(...compareMaps(path, one, other));
    } else if (isBranch(one) && isBranch(other) && Array.isArray(one) === Array.isArray(other)) {
      for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
        walk(path === '' ? name : `${path}.${name}`, one[name], other[name]);
      }
    } else {
      values++;
      if (one !== other) {
        differences.push({ path, recorded: one, found: other, kind: kindOf(path, one, other) });
      }
    }
  };
  walk('', toPlain(recorded), toPlain(found));
  return { values, differences };
}

/** One difference for a whole map: how many cells, and how far the farthest is off. */
function compareMaps(
  path: string,
  recorded: readonly number[],
  found: readonly number[],
): readonly FieldDifference[] {
  const distances = recorded.map((value, at) => Math.abs(value - found[at]!));
  const largest = distances.reduce((most, distance) => Math.max(most, distance), 0);
  if (largest === 0) return [];
  const at = distances.indexOf(largest);
  const cells = distances.filter((distance) => distance > 0).length;
  const kind = largest / fullScale <= numberTolerance ? 'rounding' : 'value';
  const where = `${path} (${cells} of ${recorded.length} cells; farthest: cell ${at})`;
  return [{ path: where, recorded: recorded[at], found: found[at], kind }];
}

/** Of the 16-bit values of a map. */
const fullScale = 65_535;
const mapPath = /^examination\.maps\.(?:values|methods)\.[\w-]+$/;

function isMap(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'number');
}

function isBranch(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function kindOf(path: string, one: unknown, other: unknown): FieldDifference['kind'] {
  if (typeof one === 'number' && typeof other === 'number') {
    return Math.abs(one - other) <= numberTolerance ? 'rounding' : 'value';
  }
  const areTexts = typeof one === 'string' && typeof other === 'string';
  return areTexts && sentencePath.test(path) ? 'wording' : 'value';
}

/** What is written for readers: texts of the reports, statements in each language, sources, warnings. */
const sentencePath = /^texts\.|\.(?:en|de|source|warnings\.\d+)$/;
