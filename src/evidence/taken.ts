import type { Manifest } from './manifest.ts';
import type { ZipEntry } from './zip-writer.ts';

/** A bundle that was taken apart, before anything of it is believed. */
export interface Taken {
  /** The whole archive. */
  readonly bytes: Uint8Array;
  /** In the order of its directory; names may come twice. */
  readonly entries: readonly Required<ZipEntry>[];
  readonly manifest: Manifest;
  readonly manifestBytes: Uint8Array;
}

/** The first of this name. */
export function contentOf({ entries }: Pick<Taken, 'entries'>, wanted: string): Uint8Array | null {
  return entries.find(({ name }) => name === wanted)?.bytes ?? null;
}
