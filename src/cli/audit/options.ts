import type { LocalOptions } from '../local-core.ts';

/** Which log is meant. */
export interface AuditOptions extends LocalOptions {
  readonly tenant?: string;
  readonly service: boolean;
}

export interface HeadOptions extends AuditOptions {
  readonly json: boolean;
}

export interface ListOptions extends HeadOptions {
  readonly analysis?: string;
  readonly since?: Date;
}
