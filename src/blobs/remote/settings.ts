import type { ConnectionGuard } from '../../outbound/connection-guard.ts';
import type { Timeouts } from './timeouts.ts';

export interface RemoteSettings {
  readonly timeouts?: Partial<Timeouts>;
  /** Authorities to trust instead of the system's, in PEM. */
  readonly ca?: string;
  /** 50 MiB when left out. */
  readonly maxObjectBytes?: number;
  /** Which addresses may be connected to; all when left out. */
  readonly guard?: ConnectionGuard;
}
