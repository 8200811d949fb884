import type { LookupFunction } from 'node:net';
import type { Timeouts } from './timeouts.ts';

/** Asked where connections are made. Its errors have the code `address_refused`. */
export interface ConnectionGuard {
  /** Answers only addresses that are allowed. */
  readonly lookup: LookupFunction;
  /** Null for a name, which `lookup` judges, and for an allowed address. */
  refusalOf(host: string): Error | null;
}

export interface RemoteSettings {
  readonly timeouts?: Partial<Timeouts>;
  /** Authorities to trust instead of the system's, in PEM. */
  readonly ca?: string;
  /** 50 MiB when left out. */
  readonly maxObjectBytes?: number;
  /** Which addresses may be connected to; all when left out. */
  readonly guard?: ConnectionGuard;
}
