/** The connections of a process, shared fairly between requesters. */

import type { Pool, PoolClient } from 'pg';
import { createFairQueue } from '../../fair-queue.ts';
import { presentRequester } from './database.ts';

export interface Connections {
  /** Lends a connection; one that is discarded is closed and not lent again. */
  use<T>(act: (client: PoolClient, discard: () => void) => Promise<T>): Promise<T>;
}

/** Waiting requesters take turns, and one with many requests gets a share of the connections, so that others need not wait. */
export function shareConnections(pool: Pool, connections: number): Connections {
  const waiting = createFairQueue<() => void>();
  const limit = Math.ceil(connections * shareOfRequester);
  const held = new Map<string, number>();
  let free = connections;

  // The service's own work is bounded already.
  const mayHold = (requester: string) => requester === '' || (held.get(requester) ?? 0) < limit;

  function hold(requester: string, more: 1 | -1): void {
    free -= more;
    const now = (held.get(requester) ?? 0) + more;
    if (now === 0) held.delete(requester);
    else held.set(requester, now);
  }

  async function take(requester: string): Promise<void> {
    if (free > 0 && mayHold(requester)) return hold(requester, 1);
    return new Promise((resolve) => {
      waiting.add(requester, () => {
        hold(requester, 1);
        resolve();
      });
    });
  }

  return {
    async use(act) {
      const requester = presentRequester();
      await take(requester);
      let isBroken = false;
      try {
        const client = await pool.connect();
        try {
          return await act(client, () => void (isBroken = true));
        } finally {
          client.release(isBroken);
        }
      } finally {
        hold(requester, -1);
        waiting.next(mayHold)?.();
      }
    },
  };
}

const shareOfRequester = 0.3;
