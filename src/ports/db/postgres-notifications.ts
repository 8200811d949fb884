/** Notifications of commits, sent and received with NOTIFY and LISTEN. */

import { EventEmitter } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import { ForensicsError } from '../../errors.ts';
import type { Topic } from './database.ts';

const channel = 'forensics';
const reconnectMs = 1000;
// Any number but that of the migration: the same in every process, which holds the lock while it listens.
const presenceLock = 7_305_512;

/** The statements that notify every process. */
export function notifyStatements(topics: readonly Topic[]): string {
  return topics.map((topic) => `NOTIFY ${channel}, '${topic}'`).join('; ');
}

/**
 * Emits a topic when any process notifies it. When the connection breaks it reconnects; polling finds what it missed.
 *
 * @param isExclusive - keeps every other process out while it listens.
 * @throws {ForensicsError} `conflict` when other processes are connected, or one of them is exclusive.
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
    // Registered last: a client that never connected ends as well, and its caller already tries again.
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
        // Repeated until the database is back.
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
      ? 'Servers, workers or commands use the database; stop them on every machine, then try again.'
      : 'Another command has exclusive use of the database, such as a rotation of the master key; try again when it has ended.',
  );
}
