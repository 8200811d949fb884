/** What the acts of this room share. */

import type { Principal } from '../access/principal.ts';
import type { Tenant } from '../tenants/tenants.ts';
import type { Db } from '../../ports/db/database.ts';
import type { Repeatable } from '../../ports/db/idempotency.ts';
import type { Limits } from '../../image/picture.ts';
import type { Queue } from '../jobs/queue.ts';
import type { OwnValidation } from '../../present/report-item.ts';
import type { Sandbox } from '../../examiner/sandbox.ts';
import type { Stores } from '../../ports/storage/stores.ts';
import type { Outbox } from '../webhooks/outbox.ts';
import type { Semaphore } from './bounds.ts';

export interface AnalysesOptions {
  readonly db: Db;
  readonly queue: Queue;
  readonly outbox: Pick<Outbox, 'enqueueDelivery'>;
  readonly stores: Stores;
  readonly sandbox: Pick<Sandbox, 'examine' | 'render'>;
  /** Known image models; the first is the default. */
  readonly models: readonly { readonly id: string; readonly version: string }[];
  /** Error rates on the operator's own pictures that reports cite; null for none. */
  readonly validation?: OwnValidation | null;
  /** Lower-case hex MD5 of the pictures that trial tenants may analyse. */
  readonly trialMd5s: readonly string[];
  readonly limits: Limits;
  readonly retention: RetentionRules;
  readonly now: () => Date;
  /** How long an act waits for a store in total; default 60 s. */
  readonly storeWaitMs?: number;
  /** Told about trouble that changes no answer, such as an object that could not be cleaned up. */
  readonly onError?: (error: unknown) => void;
  /** Told what was done without a caller, in words of this program and numbers. */
  readonly onNotice?: (what: string, facts: Notice) => void;
}

export interface RetentionRules {
  /** Days after its last change that an analysis is deleted; 0 keeps it. */
  readonly retentionDays: number;
  /** Days that a deleted analysis is stored. */
  readonly deletedRetentionDays: number;
}

export type Notice = Readonly<Record<string, string | number>>;

export interface Context extends Required<AnalysesOptions> {
  /** Around everything that holds a picture for a client's call; runs are bounded by their workers. */
  readonly semaphore: Semaphore;
  /** Upgrades that this process is drawing: a picture is drawn once however many calls come together. */
  readonly upgrading: Set<string>;
}

/** On whose behalf an act is done, and for which tenant; the access room has checked that this is allowed. */
export interface Caller {
  readonly principal: Principal;
  readonly tenant: Tenant;
  /** The same request under the same key acts once. */
  readonly idempotencyKey?: string | null;
}

/** What is remembered of a request that carries an Idempotency-Key; null for one without. */
export function toRepeatable(
  { tenant, idempotencyKey }: Caller,
  request: { readonly act: string } & Readonly<Record<string, unknown>>,
  at: Date,
): Repeatable | null {
  if (idempotencyKey == null) return null;
  return { tenantId: tenant.id, key: idempotencyKey, request, at };
}
