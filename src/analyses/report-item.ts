import type { Examination } from '../engine/result.ts';
import type { ReportItem } from '../report/item.ts';
import { citationFor } from './citation.ts';
import type { Context } from './context.ts';
import { historyOf } from './custody.ts';
import type { AnalysisRow } from './rows.ts';

interface Run {
  readonly row: AnalysisRow;
  readonly examination: Examination;
  readonly examinedAt: Date;
  readonly isUploadReplaced: boolean;
}

/** What a report says of an analysis beside its examination. */
export function reportItemOf(
  context: Pick<Context, 'db' | 'validation'>,
  { row, examination, examinedAt, isUploadReplaced }: Run,
): ReportItem {
  return {
    name: row.filename,
    analysisId: row.id,
    examinedAt,
    isUploadReplaced,
    ...historyOf(context.db, row, { examination, examinedAt }),
    ...citationFor(context, examination),
  };
}
