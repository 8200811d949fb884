/**
 * Whether the parts are at work. Each check is quick, changes nothing, and tells nothing about tenants. Without database,
 * storage, model and queue no analysis can be done; webhooks may fail because of somebody else's machine.
 */

import type { OpenDatabase } from '../db/open.ts';
import type { Queue } from '../jobs/queue.ts';
import { cached } from './cached.ts';

const checkNames = ['database', 'storage', 'model', 'queue', 'webhooks'] as const;
type CheckName = (typeof checkNames)[number];

export interface Check {
  readonly name: CheckName;
  /** Null when all is well. */
  readonly cause: Error | null;
  /** False when the service does its work all the same. */
  readonly isVital: boolean;
}

interface Parts {
  readonly database: Pick<OpenDatabase, 'check'>;
  readonly queue: Pick<Queue, 'nextDueAt'>;
  readonly registry: Record<'find' | 'findLocator', (id: null) => Promise<unknown>>;
  /** Whether the service's own store is at work. */
  readonly checkStorage: () => Promise<void>;
  readonly jobKinds: readonly string[];
  /** Jobs that this process works on. */
  readonly jobsInHand: () => number;
  /** Whether some tenant's receiver is switched off or fails. */
  readonly hasTroubledReceiver: () => boolean;
  readonly now: () => Date;
}

// Anybody may ask, as often as they like; the parts are asked this often at most.
const freshMs = 1000;
// Well above a lease. A long queue is no illness as long as somebody works on it.
const longestWaitMs = 15 * 60_000;

export function createHealth(parts: Parts): () => Promise<readonly Check[]> {
  const { database, queue, registry, checkStorage, jobKinds, jobsInHand, now } = parts;
  const { hasTroubledReceiver } = parts;
  const checks = {
    database: () => database.check(),
    storage: () => checkStorage(),
    async model() {
      await registry.find(null);
      await registry.findLocator(null);
    },
    queue() {
      const dueAt = queue.nextDueAt(jobKinds);
      const waitedMs = dueAt === null ? 0 : now().getTime() - dueAt.getTime();
      if (waitedMs <= longestWaitMs || jobsInHand() > 0) return;
      throw new Error(`Work has been due for ${waitedMs} ms and nobody does it.`);
    },
    webhooks() {
      if (hasTroubledReceiver()) throw new Error('A receiver of webhooks does not answer.');
    },
  };
  const look = async (): Promise<readonly Check[]> =>
    Promise.all(
      checkNames.map(async (name) => {
        const cause = await causeOf(() => checks[name]());
        return { name, cause, isVital: name !== 'webhooks' };
      }),
    );
  return cached(look, { freshMs, now });
}

async function causeOf(check: () => void | Promise<void>): Promise<Error | null> {
  try {
    await check();
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
