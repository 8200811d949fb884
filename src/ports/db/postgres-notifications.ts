/** What other processes commit, heard over LISTEN and NOTIFY. */

import { EventEmitter } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import { ForensicsError } from '../../errors.ts';
import type { Topic } from './database.ts';

const channel = 'forensics';
const reconnectMs = 1000;
// Any number but that of the migration: the same in every process, which holds it while it listens.
const presenceLock = 7_305_512;

/** The statements that tell the others. */
export function noticeOf(announced: readonly Topic[]): string {
  return announced.map((news) => `NOTIFY ${channel}, '${news}'`).join('; ');
}

/**
 * Commits of any process come as notices; a listener whose connection breaks comes back, and polls find what it missed.
 *
 * @param isExclusive - keeps every other process out while it listens.
 * @throws {ForensicsError} `conflict` when it cannot be alone, or another one is.
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
    // Not before: one that never connected ends, too, and who tries it again is there already.
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
        // Tried again until it is back.
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
      : 'The database is kept from use, as by a rotation of the master key; try again when that has ended.',
  );
}
