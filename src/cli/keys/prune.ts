/** `forensics keys prune`: revokes the keys that have ended. */

import type { EndedKey } from '../../access/key-end.ts';
import { operator } from '../../audit/entry.ts';
import { confirm } from '../confirm.ts';
import { listTable } from '../list-table.ts';
import { print, printJson, say, tenantNamed, withLocalCore } from '../local-core.ts';
import type { KeyOptions } from './options.ts';

export interface PruneOptions extends KeyOptions {
  readonly yes: boolean;
}

export async function prune(options: PruneOptions): Promise<void> {
  const revoked = await withLocalCore(options, async ({ keys, ...core }) => {
    const { id: tenantId } = await tenantNamed(core, options.tenant);
    const ended = await keys.ended(tenantId);
    if (ended.length === 0) {
      say('No key has ended.');
      return [];
    }
    tellEnded(ended, options);
    if (!(await isAgreed(ended, options))) return [];
    // Those that were shown: one that ends while somebody thinks about it stays for the next time.
    return keys.prune({ tenantId, uuids: ended.map(({ uuid }) => uuid), by: operator });
  });
  if (options.json) return printJson({ revoked });
  say(`Revoked: ${revoked.length}.`);
}

async function isAgreed(ended: readonly EndedKey[], { yes }: PruneOptions): Promise<boolean> {
  const what = ended.length === 1 ? 'this key' : `these ${ended.length} keys`;
  return yes || confirm(`Revoke ${what} for good?`);
}

/** Where standard output is for JSON, people read the list elsewhere. */
function tellEnded(ended: readonly EndedKey[], { json }: PruneOptions): void {
  const rows = ended.map(({ uuid, name, because, expiresAt, lastUsedDate, secret }) => [
    uuid,
    name,
    because,
    expiresAt.slice(0, 10),
    lastUsedDate?.slice(0, 10) ?? 'never',
    secret,
  ]);
  const table = listTable(['uuid', 'name', 'why', 'ended', 'last used', 'secret'], rows);
  if (json) process.stderr.write(`${table}\n`);
  else print(table);
}
