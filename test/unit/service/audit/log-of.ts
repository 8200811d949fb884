/** The entries of the audit log in short: actor, event and details. */

import {
  type Actor,
  type EventName,
  parseEntry,
  readLines,
} from '../../../../src/service/audit/entry.ts';
import type { Db } from '../../../../src/ports/db/database.ts';

export async function logOf(
  db: Db,
  selection: { readonly chain: string; readonly subject?: string },
): Promise<[by: string, event: EventName, details: object][]> {
  return (await readLines(db, selection))
    .map(parseEntry)
    .map(({ actor, event, details }) => [byOf(actor), event, details]);
}

function byOf({ type, id }: Actor): string {
  return id === null ? type : `${type} ${id}`;
}
