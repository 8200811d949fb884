/** What a tenant's own people see of its webhook: the messages, once more if asked, and a trial. */

import { performance } from 'node:perf_hooks';
import type { Actor } from '../audit/entry.ts';
import type { DeliveryState } from '../../contract/vocabulary.ts';
import type { Db } from '../../ports/db/database.ts';
import { ForensicsError } from '../../errors.ts';
import { type DeliveryEntry, listDeliveries, replay, type Replayed } from './deliveries.ts';
import { sendTestMessage } from './signature.ts';

export interface WebhookLog {
  /** Newest first. */
  list(tenantId: string, query: LogQuery): Promise<readonly DeliveryEntry[]>;
  /** Oldest first. @throws {ForensicsError} as `replay`. */
  replay(
    tenantId: string,
    which: { readonly id: string } | 'given_up',
    by: Actor,
  ): Promise<readonly Replayed[]>;
  /** @throws {ForensicsError} `conflict` when the tenant has no webhook. */
  test(tenant: Receiver): Promise<TestResult>;
}

interface LogQuery {
  readonly state?: DeliveryState;
  readonly before?: string;
  readonly limit: number;
}

interface Receiver {
  readonly id: string;
  readonly webhookUrl: string | null;
}

interface TestResult {
  readonly isAccepted: boolean;
  /** Such as `http_204`, `timeout`, `address_refused`. */
  readonly outcome: string;
  readonly tookMs: number;
}

interface WebhookLogParts {
  readonly db: Db;
  readonly serverKey: Uint8Array;
  /** Where calls may go, as for the deliverer. */
  readonly allow: readonly string[];
  readonly now: () => Date;
}

export function createWebhookLog({ db, serverKey, allow, now }: WebhookLogParts): WebhookLog {
  return {
    list: async (tenantId, { state = null, ...page }) =>
      listDeliveries(db, { tenantId, state, ...page }),
    replay: async (tenantId, which, by) => replay(db, { tenantId, which, at: now(), by }),
    async test({ id: tenantId, webhookUrl: url }) {
      if (url === null) {
        throw new ForensicsError(
          'conflict',
          'The tenant has no webhook; set its webhookUrl first.',
        );
      }
      const begun = performance.now();
      const sent = await sendTestMessage({ tenantId, url, serverKey, allow, at: now() });
      const tookMs = Math.round(performance.now() - begun);
      return { isAccepted: sent.kind === 'accepted', outcome: sent.detail, tookMs };
    },
  };
}
