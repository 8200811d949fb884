/** Who examines the pictures of a run: this machine, or a server. */

import type { ForensicsError } from '../../errors.ts';
import type { PreviewRequest } from '../../lab/lab.ts';
import type { Preview } from '../../report/preview.ts';
import type { Input } from './inputs.ts';
import type { AnalyzeOptions } from './options.ts';
import type { AnalysisRecord } from './record.ts';

export interface Run {
  readonly options: AnalyzeOptions;
  /** Aborted when the run is to end. */
  readonly signal: AbortSignal;
  /** Null where none is wanted. Only this machine draws: a server has the picture's maps. */
  readonly preview: WantedPreview | null;
  /** Told once of each picture that failed. */
  onFailure(input: Input, failure: ForensicsError): void;
}

export interface WantedPreview {
  /** Pixels that it may take. */
  readonly box: PreviewRequest['box'];
  /** Called before the picture's record is answered. */
  take(input: Input, preview: Preview): void;
}

export interface Examiner {
  /** From an argument to its record, and to its folder when there is one. Never fails: a failure is a record. */
  examine(input: Input, folderName: string): Promise<AnalysisRecord>;
  /** Hears of each record that has been told. */
  told?(record: AnalysisRecord): void;
  close(): Promise<void>;
}

/**
 * Checks once what concerns the run and not one picture, and answers how to begin.
 *
 * @throws {ForensicsError} `usage`, `config_invalid`, `model_*`, `output_not_writable`, `server_*`.
 */
export type PrepareExaminer = (options: AnalyzeOptions) => Promise<(run: Run) => Examiner>;
