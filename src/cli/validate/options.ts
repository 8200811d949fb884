/** What `forensics validate` was asked for. */

import type { LocalOptions } from '../local-core.ts';
import type { DecisionStrategy } from '../../contract/vocabulary.ts';

export interface ValidateOptions extends LocalOptions {
  readonly real?: string;
  readonly fake?: string;
  readonly out?: string;
  readonly force: boolean;
  readonly strategy: DecisionStrategy | 'all';
  readonly sample?: number;
  readonly hashes: boolean;
  readonly seed: number;
  readonly model: string | null;
  readonly jobs: number;
  readonly json: boolean;
  readonly jsonl: boolean;
  readonly verbose: boolean;
}
