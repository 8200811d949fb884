/** Tables for spreadsheets and programs. */

import type { UsageReport } from '../contract/usage.ts';

export type CsvValue = string | number | null;

/** CSV as in RFC 4180, safe to open as a spreadsheet. @returns each row with a line break; null is an empty field. */
export function csvText(rows: readonly (readonly CsvValue[])[]): string {
  return rows.map((row) => `${row.map(csvField).join(',')}\r\n`).join('');
}

/** Spreadsheets run text like a formula; an apostrophe prevents it. @see OWASP, "CSV Injection", for the characters. */
function csvField(value: CsvValue): string {
  const isFormula =
    typeof value === 'string' && /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/.test(value);
  const text = isFormula ? `'${value}` : String(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// One row per day, for programs: never rename or move a column. Names and units are those of the API.
export const usageColumns: Readonly<Record<string, (day: UsageReport) => CsvValue>> = {
  day: ({ startTime }) => startTime.slice(0, 10),
  total: ({ successfulProcessing }) => successfulProcessing.byType.total,
  api: ({ successfulProcessing }) => successfulProcessing.byType.api,
  app: ({ successfulProcessing }) => successfulProcessing.byType.app,
  real: ({ successfulProcessing }) => successfulProcessing.byResult.real,
  fake: ({ successfulProcessing }) => successfulProcessing.byResult.fake,
  uncertain: ({ successfulProcessing }) => successfulProcessing.byResult.uncertain,
  abstain: ({ successfulProcessing }) => successfulProcessing.byResult.abstain,
  confidenceScore: ({ successfulProcessing }) => successfulProcessing.byResult.confidenceScore,
  flagging: ({ successfulProcessing }) => successfulProcessing.byModelTypeAndTier.image.flagging,
  forensicReporting: ({ successfulProcessing }) =>
    successfulProcessing.byModelTypeAndTier.image.forensicReporting,
  appLogins: ({ userInteraction }) => userInteraction.appLogins,
  processingErrors: ({ impediments }) => impediments.processingErrors,
  retries: ({ impediments }) => impediments.retries,
  errorRatePercent: ({ qualityIndicators }) => qualityIndicators.errorRatePercent,
  backpressurePercent: ({ qualityIndicators }) => qualityIndicators.backpressurePercent,
  singleMinutes: ({ processingDurations }) =>
    processingDurations.byModelTypeAndParallelism.image.single,
  bulkMinutes: ({ processingDurations }) =>
    processingDurations.byModelTypeAndParallelism.image.bulk,
};
