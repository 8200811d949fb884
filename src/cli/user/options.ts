import type { LocalOptions } from '../local-core.ts';

export interface UserOptions extends LocalOptions {
  readonly json: boolean;
}
