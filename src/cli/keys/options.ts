import type { LocalOptions } from '../local-core.ts';

export interface KeyOptions extends LocalOptions {
  readonly tenant: string;
  readonly json: boolean;
}
