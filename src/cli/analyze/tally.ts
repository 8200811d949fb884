/** How many pictures came to each end: all that a run keeps of the pictures it has told of. */

import type { ErrorCode } from '../../errors.ts';
import type { AnalysisRecord } from './record.ts';
import type { ResultClass } from '../../contract/vocabulary.ts';

export interface Tally {
  readonly total: number;
  readonly counts: Readonly<Record<ResultClass | 'failed', number>>;
  readonly firstError: ErrorCode | null;
}

export const emptyTally: Tally = {
  total: 0,
  counts: { real: 0, fake: 0, abstain: 0, uncertain: 0, failed: 0 },
  firstError: null,
};

/** A picture that was only handed to a server has neither a verdict nor an error yet. */
export function withRecord(
  { total, counts, firstError }: Tally,
  { verdict, error }: Pick<AnalysisRecord, 'verdict' | 'error'>,
): Tally {
  const end = error === null ? verdict : 'failed';
  return {
    total: total + 1,
    counts: end === null ? counts : { ...counts, [end]: counts[end] + 1 },
    firstError: firstError ?? error?.code ?? null,
  };
}
