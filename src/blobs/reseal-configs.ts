import { eq } from 'drizzle-orm';
import type { Tx } from '../db/open.ts';
import { storageConfigs } from '../db/schema.ts';
import { createSeal, type Seal } from './seal.ts';
import { bindingOf, type ConfigRow } from './sealed-configs.ts';

export interface Resealed {
  readonly resealed: number;
  /** Did not open with the old key, and stay as they are: the key before it may yet be put back. */
  readonly unreadable: number;
}

/** Seals every storage configuration under another key. @param keys - 32 bytes each. */
export function resealConfigs(
  tx: Tx,
  keys: { readonly from: Uint8Array; readonly to: Uint8Array },
): Resealed {
  const [from, to] = [createSeal(keys.from), createSeal(keys.to)];
  const rows = tx.select().from(storageConfigs).all();
  let resealed = 0;
  for (const row of rows) {
    const text = openOrNull(from, row);
    if (text === null) continue;
    const sealed = to.seal(text, bindingOf(row));
    tx.update(storageConfigs).set({ sealed }).where(eq(storageConfigs.id, row.id)).run();
    resealed++;
  }
  return { resealed, unreadable: rows.length - resealed };
}

function openOrNull(seal: Seal, row: ConfigRow): string | null {
  try {
    return seal.open(row.sealed, bindingOf(row));
  } catch {
    return null;
  }
}
