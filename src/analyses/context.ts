/** What the acts of this room are given, and who they act for. */

import type { Principal } from '../access/principal.ts';
import type { Tenant } from '../access/tenants.ts';
import type { Stores } from '../blobs/stores.ts';
import type { Db } from '../db/open.ts';
import type { Limits } from '../image/limits.ts';
import type { Queue } from '../jobs/queue.ts';
import type { Lab } from '../lab/lab.ts';
import type { OwnValidation } from '../report/item.ts';
import type { Outbox } from '../webhooks/outbox.ts';
import type { Gate } from './gate.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { RetentionRules } from './retention.ts';

export interface AnalysesOptions {
  readonly db: Db;
  readonly queue: Queue;
  readonly outbox: Pick<Outbox, 'enqueueDelivery'>;
  readonly stores: Stores;
  readonly lab: Pick<Lab, 'examine' | 'render'>;
  /** Known image models; the first is the default. */
  readonly models: readonly { readonly id: string; readonly version: string }[];
  /** Error rates on the operator's own pictures that reports cite; null for none. */
  readonly validation?: OwnValidation | null;
  /** Lower-case hex MD5 of the pictures that trial tenants may analyse. */
  readonly trialMd5s: readonly string[];
  readonly limits: Limits;
  readonly retention: RetentionRules;
  readonly now: () => Date;
  /** How long an act waits for a store, all that it asks of it together; default 60 s. */
  readonly storeWaitMs?: number;
  /** Told about trouble that changes no answer, such as an object that could not be cleaned up. */
  readonly onError?: (error: unknown) => void;
  /** Told what was done that no caller hears of, in words of this program and numbers. */
  readonly onNotice?: (what: string, facts: Notice) => void;
}

export type Notice = Readonly<Record<string, string | number>>;

export interface Context extends Required<AnalysesOptions> {
  readonly lifecycle: Lifecycle;
  /** Around everything that holds a picture for a client's call; runs are bounded by their workers. */
  readonly gate: Gate;
  /** Upgrades being drawn by this process: a picture is drawn once however many calls come together. */
  readonly upgrading: Set<string>;
}

/** On whose behalf an act is done, and for which tenant; the access room has checked that this is allowed. */
export interface Caller {
  readonly principal: Principal;
  readonly tenant: Tenant;
  /** The same request under the same key acts once. */
  readonly idempotencyKey?: string | null;
}
