/** Compares two examinations of the same picture: field by field, and maps cell by cell. */

import { languages } from '../contract/vocabulary.ts';
import { mapNames } from '../detectors/result.ts';
import type { Rendering } from '../render/rendering.ts';
import { fileNames, toPlain } from './bundle-format.ts';
import { firstBundleFormat } from '../contract/verification.ts';

/** Other processors and versions round differently; smaller differences than this are invisible in a report. */
export const numberTolerance = 1e-4;

export interface FieldDifference {
  /** Path such as `examination.decision.fakeProbability`. */
  readonly path: string;
  readonly recorded: unknown;
  readonly found: unknown;
  /** `rounding`: within the tolerance. `wording`: a sentence, apart from its numbers. `value`: anything else. */
  readonly kind: 'rounding' | 'wording' | 'value';
}

/** Compares two values as plain JSON. @returns also how many values were compared, counting each cell of a map. */
export function compareFields(recorded: unknown, found: unknown) {
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
        differences.push({ path, recorded: one, found: other, kind: toKind(path, one, other) });
      }
    }
  };
  walk('', toPlain(recorded), toPlain(found));
  return { values, differences };
}

/** Reports one difference for a whole map: the number of cells, and the largest deviation. */
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

/** Highest value in a 16-bit map. */
const fullScale = 65_535;
const mapPath = /^examination\.maps\.(?:values|methods)\.[\w-]+$/;

function isMap(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'number');
}

function isBranch(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function toKind(path: string, one: unknown, other: unknown): FieldDifference['kind'] {
  if (typeof one === 'number' && typeof other === 'number') {
    return Math.abs(one - other) <= numberTolerance ? 'rounding' : 'value';
  }
  const areTexts = typeof one === 'string' && typeof other === 'string';
  return areTexts && sentencePath.test(path) ? 'wording' : 'value';
}

/** Text written for readers: report texts, statements in each language, sources, warnings. */
const sentencePath = /^texts\.|\.(?:en|de|source|warnings\.\d+)$/;

/** How two PNG files of the same size and type differ. */
export interface PixelDifference {
  /** Number of differing samples, three per pixel in colour and one in grey. */
  readonly differing: number;
  /** The largest difference as a share of full scale, 0..1. */
  readonly largest: number;
}

export interface Surroundings {
  readonly sandbox: {
    compare(files: Readonly<Record<'one' | 'other', Uint8Array>>): Promise<PixelDifference | null>;
  };
  /** Whether the processor or any version differs from the recorded one. */
  readonly hasDifferentEnvironment: boolean;
}

/** Of full scale: if value or brightness is rounded differently, a neighbouring colour changes a channel by 15%. */
const heatmapTolerance = 0.15;

/**
 * Compares newly rendered files with those in a bundle: by bytes and, if these differ, by pixels. Heatmaps and raw maps
 * of the first format were rendered differently, so their contents are compared as map cells instead.
 */
export async function compareFiles(
  { sandbox, hasDifferentEnvironment }: Surroundings,
  { files, format }: { readonly files: ReadonlyMap<string, Uint8Array>; readonly format: string },
  { heatmaps, rawMaps, reports }: Rendering,
): Promise<readonly FileComparison[]> {
  const drawn = format === firstBundleFormat ? [] : mapNames;
  const pictures = drawn.flatMap((name) => [
    { name: fileNames.heatmap(name), found: heatmaps[name], tolerance: heatmapTolerance },
    { name: fileNames.map(name), found: rawMaps[name], tolerance: numberTolerance },
  ]);
  const compared: FileComparison[] = [];
  // One after another, because two heatmaps of the largest picture take 100 MB.
  for (const { name, found, tolerance } of pictures) {
    const recorded = files.get(name);
    const isIdentical = isSame(recorded, found);
    const canCompare = !isIdentical && recorded !== undefined;
    const pixels = canCompare ? await sandbox.compare({ one: recorded, other: found }) : null;
    const isTolerated = isIdentical || (pixels !== null && pixels.largest <= tolerance);
    compared.push({ name, isIdentical, pixels, isTolerated });
  }
  const drawnReports = languages.flatMap((language) => {
    const { pdf, html } = reports[language] ?? {};
    const page = html === undefined ? undefined : Buffer.from(html);
    return [
      { name: fileNames.report(language), found: pdf },
      ...(files.has(fileNames.html(language))
        ? [{ name: fileNames.html(language), found: page }]
        : []),
    ];
  });
  const documents = drawnReports.map(({ name, found }) => {
    const isIdentical = isSame(files.get(name), found);
    return { name, isIdentical, pixels: null, isTolerated: isIdentical || hasDifferentEnvironment };
  });
  return [...compared, ...documents];
}

function isSame(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  return one !== undefined && other !== undefined && Buffer.compare(one, other) === 0;
}

/** `same-result`: the same verdict, with numbers and pixels within the tolerance, as on another processor. */
export type Outcome = 'identical' | 'same-result' | 'different';

export interface FileComparison {
  readonly name: string;
  readonly isIdentical: boolean;
  /** For pictures that differ but can be compared pixel by pixel. */
  readonly pixels: PixelDifference | null;
  readonly isTolerated: boolean;
}

export interface Reproduction {
  readonly outcome: Outcome;
  readonly verdict: { readonly recorded: string; readonly found: string };
  readonly model: { readonly id: string; readonly version: string };
  /** Number of values compared, including map cells. */
  readonly valuesCompared: number;
  readonly differences: readonly FieldDifference[];
  /** Heatmaps, raw maps and reports. */
  readonly files: readonly FileComparison[];
  /** Differences in the environment, each of which may explain differences in the result. */
  readonly environment: readonly {
    readonly name: string;
    readonly recorded: string | null;
    readonly found: string | null;
  }[];
}
