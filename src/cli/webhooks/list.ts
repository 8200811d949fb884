/** `forensics webhooks list`. */

import { type DeliveryEntry, type DeliveryState, listDeliveries } from '../../webhooks/archive.ts';
import { listTable } from '../list-table.ts';
import { tenantNamed } from '../../app/tenant-named.ts';
import { withLocalCore } from '../local-core.ts';
import { print, printJson, say } from '../talk.ts';
import type { WebhookOptions } from './options.ts';

export interface ListOptions extends WebhookOptions {
  readonly state?: DeliveryState;
  readonly limit: number;
}

export async function list(options: ListOptions): Promise<void> {
  const { tenant, state = null, limit } = options;
  const entries = await withLocalCore(options, async (core) => {
    const { id: tenantId } = await tenantNamed(core, tenant);
    return listDeliveries(core.database.db, { tenantId, state, limit });
  });
  if (options.json) return printJson(entries.map(shown));
  if (entries.length === 0) return say('There are no such messages.');
  const head = ['id', 'event', 'subject', 'created', 'attempts', 'state', 'last outcome', 'next'];
  print(listTable(head, entries.map(rowOf)));
}

/** Names of times as elsewhere in what we print. */
function shown({ createdAt, nextAttemptAt, settledAt, ...entry }: DeliveryEntry) {
  return {
    ...entry,
    createdDate: createdAt.toISOString(),
    nextAttemptDate: nextAttemptAt?.toISOString() ?? null,
    settledDate: settledAt?.toISOString() ?? null,
  };
}

function rowOf(entry: DeliveryEntry): readonly string[] {
  const { id, event, subject, createdAt, attempts, state, lastOutcome } = entry;
  const created = toSeconds(createdAt);
  const done = [String(attempts), state, lastOutcome ?? '-'];
  return [id, event, subject, created, ...done, nextOf(entry)];
}

function nextOf({ state, nextAttemptAt }: DeliveryEntry): string {
  if (nextAttemptAt !== null) return toSeconds(nextAttemptAt);
  return state === 'waiting' ? 'after the one before it' : '-';
}

function toSeconds(at: Date): string {
  return `${at.toISOString().slice(0, 19)}Z`;
}
