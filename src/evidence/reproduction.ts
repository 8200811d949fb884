/** What came out when the examination of a bundle was done again. */

import type { PixelDifference } from '../lab/lab.ts';
import type { FieldDifference } from './compare.ts';

/**
 * `identical`: every value and every byte. `same-result`: the same verdict, and numbers and pixels within the tolerance,
 * as on another processor or with other versions of libraries. `different`: the rest.
 */
export const outcomes = ['identical', 'same-result', 'different'] as const;
export type Outcome = (typeof outcomes)[number];

export interface FileComparison {
  readonly name: string;
  readonly isIdentical: boolean;
  /** For pictures that are not identical, where they can be laid side by side. */
  readonly pixels: PixelDifference | null;
  readonly isTolerated: boolean;
}

export interface Reproduction {
  readonly outcome: Outcome;
  readonly verdict: { readonly recorded: string; readonly found: string };
  readonly model: { readonly id: string; readonly version: string };
  /** Single values that were compared, cells of maps among them. */
  readonly valuesCompared: number;
  readonly differences: readonly FieldDifference[];
  /** Heatmaps, raw maps and reports. */
  readonly files: readonly FileComparison[];
  /** What of the surroundings was another; each may explain a difference. */
  readonly environment: readonly {
    readonly name: string;
    readonly recorded: string | null;
    readonly found: string | null;
  }[];
}
