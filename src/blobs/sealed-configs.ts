/**
 * Storage configurations at rest: sealed for the tenant and the row that they were saved for, so that a copied row opens
 * nowhere else. A stolen database file holds no credential. What a configuration means is not this file's matter.
 */

import { and, eq } from 'drizzle-orm';
import { newId } from '../db/ids.ts';
import type { Reader, Tx } from '../db/open.ts';
import { storageConfigs } from '../db/schema.ts';
import { ForensicsError } from '../errors.ts';
import { createSeal } from './seal.ts';
import { placeOf, type StorageConfig } from './storage-config.ts';

export type ConfigRow = typeof storageConfigs.$inferSelect;

export interface SealedConfigs {
  /**
   * Keeps the configuration and answers the id of its row: the row of its place when the tenant ever had one there, so
   * that new credentials serve old analyses too; else a new one. CORS rules are to be applied again.
   */
  save(tx: Tx, tenantId: string, config: StorageConfig): string;
  /** Null when the tenant has no such row. */
  find(reader: Reader, which: { readonly tenantId: string; readonly id: string }): ConfigRow | null;
  /** @throws {ForensicsError} `store_unavailable` when it was sealed under another key, or altered. */
  open(row: ConfigRow): StorageConfig;
}

export interface SealedConfigsSettings {
  /** 32 bytes. */
  readonly key: Uint8Array;
  readonly now: () => Date;
}

type Owner = Pick<ConfigRow, 'tenantId' | 'id'>;

export function createSealedConfigs({ key, now }: SealedConfigsSettings): SealedConfigs {
  const seal = createSeal(key);

  return {
    save(tx, tenantId, config) {
      const place = placeOf(config);
      const at = now();
      const isPlace = and(eq(storageConfigs.tenantId, tenantId), eq(storageConfigs.place, place));
      const known = tx.select({ id: storageConfigs.id }).from(storageConfigs).where(isPlace).get();
      const id = known?.id ?? newId(at);
      const sealed = seal.seal(JSON.stringify(config), bindingOf({ tenantId, id }));
      const fresh = { sealed, corsApplied: null, corsWarning: null, updatedAt: at };
      tx.insert(storageConfigs)
        .values({ id, tenantId, type: config.type, place, createdAt: at, ...fresh })
        .onConflictDoUpdate({ target: storageConfigs.id, set: fresh })
        .run();
      return id;
    },
    find(reader, { tenantId, id }) {
      const which = and(eq(storageConfigs.tenantId, tenantId), eq(storageConfigs.id, id));
      return reader.select().from(storageConfigs).where(which).get() ?? null;
    },
    open(row) {
      try {
        // The seal proves that `save` wrote it, so it has the type of what was saved.
        return JSON.parse(seal.open(row.sealed, bindingOf(row)));
      } catch (error) {
        throw new ForensicsError(
          'store_unavailable',
          'The storage configuration cannot be opened with the present master key; put that key back, or save the configuration again with its secrets.',
          { cause: error },
        );
      }
    },
  };
}

/** A row that was copied to another tenant or another id does not open. */
export function bindingOf({ tenantId, id }: Owner): string {
  return `forensics/blobs/configs/1/${tenantId}/${id}`;
}
