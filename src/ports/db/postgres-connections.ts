/** A process's connections to PostgreSQL, shared fairly between requesters. */

import { EventEmitter } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { Client, type ClientConfig, type Pool, type PoolClient } from 'pg';
import { ForensicsError } from '../../errors.ts';
import { createFairQueue } from '../../fair-queue.ts';
import { currentRequester, type Topic } from './database.ts';

export type Connections = ReturnType<typeof shareConnections>;

/**
 * Waiting requesters take turns, and a requester with many requests gets only a share of the connections, so that
 * others need not wait.
 */
export function shareConnections(pool: Pool, connections: number) {
  const waiting = createFairQueue<() => void>();
  const limit = Math.ceil(connections * shareOfRequester);
  const held = new Map<string, number>();
  let free = connections;

  // The amount of the service's own work is already limited.
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
    /** Lends a connection; a discarded one is closed and not lent again. */
    async use<T>(act: (client: PoolClient, discard: () => void) => Promise<T>) {
      const requester = currentRequester();
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

// Commit notifications, sent and received with NOTIFY and LISTEN.

const channel = 'forensics';
const reconnectMs = 1000;
// Each process holds this lock while it listens. Any number will do, except that of the migration lock.
const presenceLock = 7_305_512;

/** SQL that notifies every process. */
export function notifyStatements(topics: readonly Topic[]): string {
  return topics.map((topic) => `NOTIFY ${channel}, '${topic}'`).join('; ');
}

/**
 * Emits a topic whenever any process notifies it. Reconnects if the connection breaks; polling finds what was missed in
 * the meantime.
 *
 * @param isExclusive - keeps every other process out while it listens.
 * @throws {ForensicsError} `conflict` if other processes are connected, or one of them is exclusive.
 */
export async function listen(config: ClientConfig, isExclusive: boolean) {
  const emitter = new EventEmitter();
  emitter.setMaxListeners(0);
  const stopping = new AbortController();
  let present: Client | null = null;

  async function connect(): Promise<void> {
    const client = new Client(config);
    client.on('error', () => undefined);
    client.on('notification', ({ payload }) => {
      if (payload === 'jobs' || payload === 'deliveries') emitter.emit(payload);
    });
    try {
      await client.connect();
      await takePresence(client, isExclusive);
      await client.query(`LISTEN ${channel}`);
    } catch (error) {
      await client.end();
      throw error;
    }
    if (stopping.signal.aborted) return client.end();
    // Registered last, because a client that never connected also emits `end`, and its caller already retries.
    client.on('end', () => void reconnect());
    present = client;
  }

  async function reconnect(): Promise<void> {
    while (!stopping.signal.aborted) {
      await setTimeout(reconnectMs, undefined, { ref: false });
      if (stopping.signal.aborted) return;
      try {
        await connect();
        return;
      } catch {
        // Retried until the database is back.
      }
    }
  }

  await connect();
  return {
    emitter,
    async stop() {
      stopping.abort();
      await present?.end();
    },
  };
}

async function takePresence(client: Client, isExclusive: boolean): Promise<void> {
  const lock = isExclusive ? 'pg_try_advisory_lock' : 'pg_try_advisory_lock_shared';
  const { rows } = await client.query({
    text: `SELECT ${lock}(${presenceLock})::text`,
    rowMode: 'array',
  });
  if (rows[0]?.[0] === 'true') return;
  throw new ForensicsError(
    'conflict',
    isExclusive
      ? 'Servers, workers or commands are still using the database; stop them on every machine, then try again.'
      : 'Another command has exclusive use of the database, such as a rotation of the master key; try again when it has finished.',
  );
}
