/** `forensics keys prune`: revokes the keys that have ended. */

import type { KeyEntry } from '../../access/key-entry.ts';
import { confirm } from '../confirm.ts';
import { listTable } from '../list-table.ts';
import { print, printJson, say } from '../talk.ts';
import { withService } from '../service/open.ts';
import type { KeyOptions } from './options.ts';

export interface PruneOptions extends KeyOptions {
  readonly yes: boolean;
}

export async function prune(options: PruneOptions): Promise<void> {
  const { tenant } = options;
  const revoked = await withService(options, async ({ keys }) => {
    const ended = (await keys.list(tenant)).filter((key) => key.ended !== null);
    if (ended.length === 0) {
      say('No key has ended.');
      return [];
    }
    tellEnded(ended, options);
    if (!(await isAgreed(ended, options))) return [];
    // Those that were shown: one that ends while somebody thinks about it stays for the next time.
    return keys.prune({ tenant, uuids: ended.map(({ uuid }) => uuid) });
  });
  if (options.json) return printJson({ revoked });
  say(`Revoked: ${revoked.length}.`);
}

async function isAgreed(ended: readonly KeyEntry[], { yes }: PruneOptions): Promise<boolean> {
  const what = ended.length === 1 ? 'this key' : `these ${ended.length} keys`;
  return yes || confirm(`Revoke ${what} for good?`);
}

/** Where standard output is for JSON, people read the list elsewhere. */
function tellEnded(keys: readonly KeyEntry[], { json }: PruneOptions): void {
  const rows = keys.map(({ uuid, name, ended, expiresAt, lastUsedDate, secret }) => [
    uuid,
    name,
    ended ?? '',
    expiresAt.slice(0, 10),
    lastUsedDate?.slice(0, 10) ?? 'never',
    secret,
  ]);
  const table = listTable(['uuid', 'name', 'why', 'ended', 'last used', 'secret'], rows);
  if (json) process.stderr.write(`${table}\n`);
  else print(table);
}
