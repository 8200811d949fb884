/** `forensics keys list`: all keys of a tenant, or those that somebody must replace soon. */

import type { KeyEntry } from '../../access/key-entry.ts';
import { exitCodes } from '../../errors.ts';
import { listTable } from '../list-table.ts';
import { print, printJson, say } from '../talk.ts';
import { withService } from '../service/open.ts';
import type { KeyOptions } from './options.ts';

export interface ListOptions extends KeyOptions {
  /** Milliseconds. */
  readonly expiringWithin?: number;
}

export async function list(options: ListOptions): Promise<void> {
  const { tenant, expiringWithin } = options;
  const all = await withService(options, async ({ keys }) => keys.list(tenant));
  const isAsked = expiringWithin !== undefined;
  const entries = isAsked ? toReplace(all, Date.now(), expiringWithin) : all;
  if (isAsked && entries.length > 0) process.exitCode = exitCodes.foundExpiring;
  if (options.json) return printJson(entries);
  if (entries.length > 0) return print(tableOf(entries));
  say(isAsked ? 'No key expires in that time.' : 'There are no keys.');
}

/** Valid now but not after `withinMs`, and no key of the same name is: one that was rotated needs nobody's care. */
function toReplace(
  entries: readonly KeyEntry[],
  now: number,
  withinMs: number,
): readonly KeyEntry[] {
  const isLasting = (entry: KeyEntry) => endOf(entry) > now + withinMs;
  const lasting = new Set(entries.filter(isLasting).map(({ name }) => name));
  return entries.filter((entry) => entry.ended === null && !lasting.has(entry.name));
}

function endOf({ expiresAt }: KeyEntry): number {
  return Date.parse(expiresAt);
}

function tableOf(entries: readonly KeyEntry[]): string {
  const rows = entries.map(
    ({ uuid, name, createdDate, expiresAt, ended, lastUsedDate, secret }) => {
      const state = ended ?? expiresAt.slice(0, 10);
      const used = lastUsedDate?.slice(0, 10) ?? 'never';
      return [uuid, name, createdDate.slice(0, 10), state, used, secret];
    },
  );
  return listTable(['uuid', 'name', 'created', 'expires', 'last used', 'secret'], rows);
}
