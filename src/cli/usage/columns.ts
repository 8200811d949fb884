/** Usage as CSV: a row a day, so that a spreadsheet can add up what it likes. The header is the same for ever. */

import type { UsageReport } from '../../analyses/usage-report.ts';
import type { CsvValue } from '../csv.ts';

type Column = readonly [name: string, valueOf: (day: UsageReport) => CsvValue];

// Read by programs: a column is added at the end or not at all. Names and units are those of the interface.
const columns: readonly Column[] = [
  ['day', (day) => day.startTime.slice(0, 10)],
  ['total', ({ successfulProcessing: done }) => done.byType.total],
  ['api', ({ successfulProcessing: done }) => done.byType.api],
  ['app', ({ successfulProcessing: done }) => done.byType.app],
  ['real', ({ successfulProcessing: done }) => done.byResult.real],
  ['fake', ({ successfulProcessing: done }) => done.byResult.fake],
  ['uncertain', ({ successfulProcessing: done }) => done.byResult.uncertain],
  ['abstain', ({ successfulProcessing: done }) => done.byResult.abstain],
  ['confidenceScore', ({ successfulProcessing: done }) => done.byResult.confidenceScore],
  ['flagging', ({ successfulProcessing: done }) => done.byModelTypeAndTier.image.flagging],
  [
    'forensicReporting',
    ({ successfulProcessing: done }) => done.byModelTypeAndTier.image.forensicReporting,
  ],
  ['appLogins', (day) => day.userInteraction.appLogins],
  ['processingErrors', (day) => day.impediments.processingErrors],
  ['retries', (day) => day.impediments.retries],
  ['errorRatePercent', (day) => day.qualityIndicators.errorRatePercent],
  ['backpressurePercent', (day) => day.qualityIndicators.backpressurePercent],
  ['singleMinutes', (day) => durationsOf(day).single],
  ['bulkMinutes', (day) => durationsOf(day).bulk],
];

/** The names of the columns, as the first row. */
export const columnNames = columns.map(([name]) => name);

/** @param day - the report about one day. */
export function valuesOf(day: UsageReport): readonly CsvValue[] {
  return columns.map(([, valueOf]) => valueOf(day));
}

function durationsOf({ processingDurations: durations }: UsageReport) {
  return durations.byModelTypeAndParallelism.image;
}
