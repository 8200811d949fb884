/** `forensics audit head`. */

import { listTable } from '../list-table.ts';
import { withLocalCore } from '../local-core.ts';
import { print, printJson } from '../talk.ts';
import { chainsOf } from './chains.ts';
import type { HeadOptions } from './options.ts';

export async function head(options: HeadOptions): Promise<void> {
  const heads = await withLocalCore(options, async (core) => {
    const chains = await chainsOf(core, options);
    return chains.map(({ chain, name }) => ({ name, ...core.audit.head(chain) }));
  });
  if (options.json) return printJson(heads);
  const rows = heads.map(({ name, count, hash }) => [name, String(count), hash]);
  print(listTable(['log', 'entries', 'hash of the last'], rows));
}
