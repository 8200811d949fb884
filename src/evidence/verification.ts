/** What can be said of a bundle after it was verified. */

import type { Manifest } from './manifest.ts';

export const problemKinds = [
  /** A listed file has other bytes, or the signed list itself. */
  'changed',
  'missing',
  /** A file that the list does not name, or names once and the archive holds twice. */
  'added',
  /** The signature does not fit the list and the key. */
  'signature',
  /** Signed, but not by the key that was expected. */
  'key',
  /** Bytes of the archive outside of its files. */
  'container',
  /** Signed as it is, but its parts do not belong together. */
  'contradiction',
] as const;

export interface Problem {
  readonly kind: (typeof problemKinds)[number];
  /** Name inside the archive; null when it concerns no single file. */
  readonly file: string | null;
  /** One English sentence. */
  readonly message: string;
}

export interface Verification {
  /** True when there is no problem at all. */
  readonly holds: boolean;
  readonly problems: readonly Problem[];
  /** The key that signed; null when no signature holds. */
  readonly key: {
    readonly fingerprint: string;
    /** Whether it is the one that was asked for; null when none was. Then anybody may have signed. */
    readonly isExpected: boolean | null;
  } | null;
  /** What the signed list says; null when it cannot be believed. */
  readonly manifest: Manifest | null;
  /** Null when the result cannot be read or was changed. */
  readonly verdict: string | null;
}
