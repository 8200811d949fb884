/** The contract's usage report as JSON Schema. */

import { Type } from 'typebox';
import {
  share,
  responseWith,
  dateTime,
  oneOf,
  orNull,
  queriedTime,
  tenantName,
  type Wire,
  object,
} from './common.ts';
import { reportTypes } from './vocabulary.ts';

export type ReportQuery = Omit<Wire<typeof reportQuery>, 'tenantName'>;
export const reportQuery = Type.Object({
  tenantName,
  type: Type.Optional(oneOf(reportTypes)),
  startTime: queriedTime(
    'For a range (default: now): each UTC day that it touches is counted in full.',
  ),
  endTime: queriedTime(
    'For a range (default: now): not before startTime; a date means all of that day.',
  ),
});

const amount = (description?: string) =>
  Type.Integer({ minimum: 0, ...(description && { description }) });
const percent = Type.Number({ minimum: 0, maximum: 100 });
const minutes = orNull(Type.Number({ minimum: 0, description: 'Minutes on average.' }));

export type UsageReport = Wire<typeof report>;
const report = Type.Object(
  {
    id: Type.String(),
    tenantId: Type.String(),
    updatedAt: Type.String({
      format: 'date-time',
      description:
        'The present time, or the end of the period once it has passed: figures of past days never change.',
    }),
    startTime: dateTime,
    endTime: dateTime,
    queuedAnalyses: amount(
      'Pending now, started or not; 0 for a period that does not include the present.',
    ),
    successfulProcessing: Type.Object({
      byType: Type.Object({ api: amount(), app: amount(), total: amount() }),
      byResult: Type.Object({
        fake: amount(),
        real: amount(),
        uncertain: amount(),
        abstain: amount(),
        total: amount(),
        confidenceScore: share("Mean probability of the verdict's class, over real and fake."),
      }),
      byModelTypeAndTier: object(
        'What is billed. An upgraded analysis counts in both tiers, so they may add up to more than the total.',
        { image: Type.Object({ forensicReporting: amount(), flagging: amount() }) },
      ),
    }),
    userInteraction: Type.Object({ appLogins: amount() }),
    impediments: Type.Object({ processingErrors: amount(), retries: amount() }),
    qualityIndicators: Type.Object({ errorRatePercent: percent, backpressurePercent: percent }),
    processingDurations: Type.Object({
      byModelTypeAndParallelism: Type.Object({
        image: Type.Object({ single: minutes, bulk: minutes }),
      }),
    }),
  },
  { $id: 'UsageReport' },
);

/** Registered by name, so that the OpenAPI document defines it once. */
export const usageComponents = [report];

export const reportResponse = responseWith(Type.Unsafe<UsageReport>({ $ref: 'UsageReport#' }));
