/** Who examines the pictures of a run: this machine, or a server. */

import type { ForensicsError } from '../../errors.ts';
import type { Input } from './inputs.ts';
import type { AnalyzeOptions } from './options.ts';
import type { AnalysisRecord } from './record.ts';

export interface Run {
  readonly options: AnalyzeOptions;
  /** Aborted when the run is to end. */
  readonly signal: AbortSignal;
  /** Told once of each picture that failed. */
  onFailure(input: Input, failure: ForensicsError): void;
}

export interface Examiner {
  /** From an argument to its record, and to its folder when there is one. Never fails: a failure is a record. */
  examine(input: Input, folderName: string): Promise<AnalysisRecord>;
  close(): Promise<void>;
}

/**
 * Checks once what concerns the run and not one picture, and answers how to begin.
 *
 * @throws {ForensicsError} `usage`, `config_invalid`, `model_*`, `output_not_writable`, `server_*`.
 */
export type PrepareExaminer = (options: AnalyzeOptions) => Promise<(run: Run) => Examiner>;
