/**
 * Counts what is billed and reported, in the transaction of the event itself, a tenant and a UTC day. Amounts are whole
 * numbers that only grow; shares and averages are made of them when a report is read.
 */

import { sql } from 'drizzle-orm';
import type { Tx } from '../db/open.ts';
import { usageCounters } from '../db/schema.ts';
import type { Decision } from '../engine/result.ts';
import type { AnalysisRow } from './rows.ts';
import { dayOf } from './usage-period.ts';
import type { ResultClass, Tier } from '../contract/vocabulary.ts';

export type Parallelism = 'single' | 'bulk';

export type Counter =
  /**
   * Analyses that were delivered in a tier: what is billed. An upgrade adds one to forensicReporting and takes none from
   * flagging, for flagging was delivered and billed before.
   */
  | `billed.${Tier}`
  /** Successes by who created the analysis: `app` for a person, `api` for everything else. */
  | `success.${'api' | 'app'}`
  | `result.${ResultClass}`
  /** Sum over the decided results (real, fake) of the probability of the class that was decided, in millionths. */
  | 'confidence'
  | 'upgrades'
  /** Analyses that failed after they had been taken up. A refused upload was never processed and counts nowhere. */
  | 'errors'
  /** Automatic retries and those that a client asked for. */
  | 'retries'
  /** Times that an analysis went from pending to processing. */
  | 'runs'
  /** Roll-backs because every instance was busy. */
  | 'backpressure'
  | 'logins'
  /** Successes, and the milliseconds that they were in processing, automatic retries included. */
  | `timed.${Parallelism}`
  | `ms.${Parallelism}`;

export type Count = readonly [counter: Counter, amount: number];

export interface Event {
  readonly tenantId: string;
  readonly at: Date;
}

export const confidenceScale = 1_000_000;

/** One statement, however many counters an event moves. */
export function countUsage(tx: Tx, { tenantId, at }: Event, counts: readonly Count[]): void {
  const day = dayOf(at);
  tx.insert(usageCounters)
    .values(counts.map(([counter, amount]) => ({ tenantId, day, counter, amount })))
    .onConflictDoUpdate({
      target: [usageCounters.tenantId, usageCounters.day, usageCounters.counter],
      set: { amount: sql`${usageCounters.amount} + excluded.amount` },
    })
    .run();
}

/** A login of a person, for each tenant that the person may act for. */
export function countLogin(tx: Tx, tenantIds: readonly string[], at: Date): void {
  for (const tenantId of new Set(tenantIds)) countUsage(tx, { tenantId, at }, [['logins', 1]]);
}

/** What the success of an analysis counts. @param row - as it is after the change. */
export function countsOfSuccess(row: AnalysisRow, decision: Decision): readonly Count[] {
  const parallelism: Parallelism = row.isBulk === true ? 'bulk' : 'single';
  return [
    [`billed.${row.tier}`, 1],
    [`success.${row.createdByType === 'user' ? 'app' : 'api'}`, 1],
    [`result.${decision.resultClass}`, 1],
    ...countOfConfidence(decision),
    [`timed.${parallelism}`, 1],
    [`ms.${parallelism}`, processingMs(row)],
  ];
}

function countOfConfidence({ resultClass, fakeProbability }: Decision): readonly Count[] {
  if (resultClass !== 'real' && resultClass !== 'fake') return [];
  const probability = resultClass === 'fake' ? fakeProbability : 1 - fakeProbability;
  return [['confidence', Math.round(confidenceScale * probability)]];
}

/** Never negative: the clock of a machine may be set back while it works. */
function processingMs({ processingStartedAt, processingFinishedAt }: AnalysisRow): number {
  if (processingStartedAt === null || processingFinishedAt === null) return 0;
  return Math.max(0, processingFinishedAt.getTime() - processingStartedAt.getTime());
}
