/** The evidence bundle of a picture that was examined here. */

import type { Examination } from '../../engine/result.ts';
import type { Signer } from '../../evidence/signer.ts';
import { writeBundle } from '../../evidence/write-bundle.ts';
import { defaultLimits } from '../../image/limits.ts';
import type { Rendering } from '../../lab/lab.ts';
import type { ReportItem } from '../../report/item.ts';

export interface Sealing {
  readonly signer: Signer;
  readonly now: () => Date;
  readonly withOriginal: boolean;
  /** That of the run's lab. */
  readonly trustList: string | null;
}

export interface Examined {
  readonly source: { readonly bytes: Uint8Array; readonly name?: string };
  readonly examination: Examination;
  readonly item: ReportItem;
  /** In every language, with raw maps. */
  readonly rendering: Rendering;
}

export function bundleOf(
  { signer, now, withOriginal, trustList }: Sealing,
  { source, ...examined }: Examined,
): Uint8Array {
  const given = {
    ...examined,
    original: source.bytes,
    openedAs: source.name ?? null,
    heatmapSize: null,
    limits: defaultLimits,
    trustList,
  };
  return writeBundle(given, { withOriginal, signer, signedAt: now() }).bytes;
}
