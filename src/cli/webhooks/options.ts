import type { LocalOptions } from '../local-core.ts';

export interface WebhookOptions extends LocalOptions {
  readonly tenant: string;
  readonly json: boolean;
}
