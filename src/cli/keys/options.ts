import type { ServiceOptions } from '../service-options.ts';

export interface KeyOptions extends ServiceOptions {
  readonly tenant: string;
}
