/**
 * Every change of state of an analysis, and nothing else: one act, one transaction. Each is a compare-and-set (the row
 * changes only if it still is what the act believes), with its job, its webhook message and its counters beside it.
 */

import { createClientActs } from './client.ts';
import type { LifecycleParts } from './transition.ts';
import { createRunActs } from './worker.ts';

export type Lifecycle = ReturnType<typeof createLifecycle>;

export function createLifecycle(parts: LifecycleParts) {
  return { ...createClientActs(parts), ...createRunActs(parts) };
}
