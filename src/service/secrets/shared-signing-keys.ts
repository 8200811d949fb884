/** The signing keys where several machines share a database: beside everything else that they share. */

import { eq, like } from 'drizzle-orm';
import { type Db, transact, type Tx } from '../../ports/db/database.ts';
import { settings } from '../../ports/db/schema.ts';
import { createSeal } from '../../ports/storage/configs.ts';
import type { Secrets } from './secrets.ts';
import type { KeyPlace } from './signing-keys.ts';

const begin = 'signing-key/';
const isKey = like(settings.key, `${begin}%`);
const sealOf = (secrets: Secrets) => createSeal(secrets.of('evidence/signing'));

/** Rows of the settings, sealed under the master key, which all machines have. */
export function keysInDatabase(db: Db, secrets: Secrets): KeyPlace {
  const seal = sealOf(secrets);
  const rowOf = (number: number, text: string) => {
    const key = `${begin}${number}`;
    return { key, value: seal.seal(text, key).toString('base64') };
  };
  return {
    async numbers() {
      const rows = await db.select({ key: settings.key }).from(settings).where(isKey).all();
      return rows.map(({ key }) => Number(key.slice(begin.length))).toSorted((a, b) => b - a);
    },
    async read(number) {
      const key = `${begin}${number}`;
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

/** Seals them under the secrets of another master key. */
export async function resealSigningKeys(
  tx: Tx,
  { from, to }: { readonly from: Secrets; readonly to: Secrets },
): Promise<void> {
  const [old, renewed] = [sealOf(from), sealOf(to)];
  for (const { key, value } of await tx.select().from(settings).where(isKey).all()) {
    const text = old.open(Buffer.from(value, 'base64'), key);
    const sealed = renewed.seal(text, key).toString('base64');
    await tx.update(settings).set({ value: sealed }).where(eq(settings.key, key)).run();
  }
}

/** Those that are not there yet. */
export async function copySigningKeys(from: KeyPlace, to: KeyPlace): Promise<void> {
  for (const number of await from.numbers()) await to.add(number, await from.read(number));
}
