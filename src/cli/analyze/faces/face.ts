/** A way to tell of a run on standard output: pieces of one document, each printed as soon as it is known. */

import type { AnalysisRecord } from '../record.ts';
import type { Tally } from '../tally.ts';

export interface Face {
  readonly head: string;
  /** In the order of the input. */
  add(record: AnalysisRecord): string;
  /** For programs not asked for when a run was stopped: a document that is cut off shows it. */
  end(tally: Tally): string;
}
