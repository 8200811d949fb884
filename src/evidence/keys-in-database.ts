/** Signing keys in the database; in a separate file, so that signing with keys from the data folder loads no database. */

import { eq, like } from 'drizzle-orm';
import { type Db, transact, type Tx } from '../ports/db/database.ts';
import { settings } from '../ports/db/schema.ts';
import { createSeal } from '../ports/storage/configs.ts';
import type { KeyPlace } from './sign.ts';

const rowPrefix = 'signing-key/';
const isKey = like(settings.key, `${rowPrefix}%`);

/** Keys as rows of the settings table. @param sealKey - 32 bytes that all machines derive from the master key. */
export function keysInDatabase(db: Db, sealKey: Buffer): KeyPlace {
  const seal = createSeal(sealKey);
  const rowOf = (number: number, text: string) => {
    const key = `${rowPrefix}${number}`;
    return { key, value: seal.seal(text, key).toString('base64') };
  };
  return {
    async numbers() {
      const rows = await db.select({ key: settings.key }).from(settings).where(isKey).all();
      return rows.map(({ key }) => Number(key.slice(rowPrefix.length))).toSorted((a, b) => b - a);
    },
    async read(number) {
      const key = `${rowPrefix}${number}`;
      const row = await db.select().from(settings).where(eq(settings.key, key)).get();
      return seal.open(Buffer.from(row?.value ?? '', 'base64'), key);
    },
    add: (number, text) =>
      transact(db, async (tx) => {
        const written = tx.insert(settings).values(rowOf(number, text)).onConflictDoNothing();
        return (await written.run()).changes === 1;
      }),
    replace: (number, text) =>
      transact(db, async (tx) => {
        const { key, value } = rowOf(number, text);
        await tx.update(settings).set({ value }).where(eq(settings.key, key)).run();
      }),
    nameOf: (number) => `Signing key ${number} in the database`,
  };
}

export async function resealSigningKeys(
  tx: Tx,
  { from, to }: { readonly from: Buffer; readonly to: Buffer },
): Promise<void> {
  const [old, renewed] = [createSeal(from), createSeal(to)];
  for (const { key, value } of await tx.select().from(settings).where(isKey).all()) {
    const text = old.open(Buffer.from(value, 'base64'), key);
    const sealed = renewed.seal(text, key).toString('base64');
    await tx.update(settings).set({ value: sealed }).where(eq(settings.key, key)).run();
  }
}
