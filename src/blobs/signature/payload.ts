import type { KeyObject } from 'node:crypto';
import { Refusal } from '../refusal.ts';

/** What the first of a row of chunk signatures builds upon. */
export interface Seed {
  readonly key: KeyObject;
  readonly time: string;
  readonly scope: string;
  readonly signature: string;
}

/** How a signature covers the body. */
export type Payload =
  | { readonly kind: 'unsigned' }
  /** Lower-case hex; to be compared with the body's. */
  | { readonly kind: 'digest'; readonly sha256: string }
  /** The body comes in chunks of the `aws-chunked` coding; `seed` is null where they are not signed. */
  | { readonly kind: 'chunked'; readonly hasTrailer: boolean; readonly seed: Seed | null };

/** @throws {Refusal} `InvalidArgument` for a word or digest that is not known. */
export function payloadOf(text: string, seed: Seed): Payload {
  if (/^[0-9a-f]{64}$/.test(text)) return { kind: 'digest', sha256: text };
  switch (text) {
    case 'UNSIGNED-PAYLOAD':
      return { kind: 'unsigned' };
    case 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD':
      return { kind: 'chunked', hasTrailer: false, seed };
    case 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER':
      return { kind: 'chunked', hasTrailer: true, seed };
    case 'STREAMING-UNSIGNED-PAYLOAD-TRAILER':
      return { kind: 'chunked', hasTrailer: true, seed: null };
    default:
      throw new Refusal('InvalidArgument', 'x-amz-content-sha256 must be a valid value.');
  }
}
