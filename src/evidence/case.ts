/** An examined picture with everything that was made of it: what a bundle is written from. */

import type { Examination } from '../engine/result.ts';
import type { Limits } from '../image/limits.ts';
import type { Rendering } from '../lab/lab.ts';
import type { ReportItem } from '../report/item.ts';

export interface BundleCase {
  readonly original: Uint8Array;
  /** The file name that the reader of the picture was told; null when it saw bytes alone. */
  readonly openedAs: string | null;
  readonly examination: Examination;
  /** As it was given to the rendering. */
  readonly item: ReportItem;
  readonly heatmapSize: { readonly width: number; readonly height: number } | null;
  readonly limits: Limits;
  /** PEM certificates of trusted signers of content credentials; null for none. Goes in when the examination knew the same. */
  readonly trustList: string | null;
  /** In every language, with raw maps, from the bytes of `original`: never files that lay where others can write. */
  readonly rendering: Rendering;
}
