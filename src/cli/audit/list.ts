/** `forensics audit list` for people, `forensics audit export` for whoever recomputes the hashes. */

import type { Entry } from '../../audit/entry.ts';
import { parseEntry } from '../../audit/read.ts';
import { listTable } from '../list-table.ts';
import { withLocalCore } from '../local-core.ts';
import { print, printJson, say } from '../talk.ts';
import { oneChain } from './chains.ts';
import type { AuditOptions, ListOptions } from './options.ts';

export async function list(options: ListOptions): Promise<void> {
  const { analysis, since } = options;
  const entries = await withLocalCore(options, async (core) => {
    const { chain } = await oneChain(core, options);
    const lines = core.audit.read({
      chain,
      ...(analysis === undefined ? {} : { subject: analysis }),
      ...(since === undefined ? {} : { since }),
    });
    return lines.map((line) => ({ ...parseEntry(line), hash: line.hash }));
  });
  if (options.json) return printJson(entries);
  if (entries.length === 0) return say('There are no entries.');
  const head = ['entry', 'time', 'by', 'event', 'subject', 'details'];
  print(listTable(head, entries.map(rowOf)));
}

export async function exportLines(options: AuditOptions): Promise<void> {
  await withLocalCore(options, async (core) => {
    const { chain } = await oneChain(core, options);
    for (const { text } of core.audit.lines(chain)) print(text);
  });
}

function rowOf({ seq, at, actor, event, subject, details }: Entry): string[] {
  const by = actor.id === null ? actor.type : `${actor.type} ${actor.id}`;
  const told = Object.entries(details).map(([name, value]) => `${name}=${shortened(value)}`);
  return [String(seq), at, by, event, subject ?? '', told.join(' ')];
}

const shownOfHash = 12;

/** The whole of it is in the JSON. */
function shortened(value: unknown): string {
  if (Array.isArray(value)) return value.join(',');
  if (typeof value === 'object' && value !== null) return `${Object.keys(value).length} files`;
  const text = String(value);
  return /^[0-9a-f]{32,}$/.test(text) ? `${text.slice(0, shownOfHash)}...` : text;
}
