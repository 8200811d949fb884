/**
 * Storage configurations at rest: AES-256-GCM, bound to the tenant and the row that they were saved for, so that a copied
 * row opens nowhere else. A stolen database file holds no credential. What a configuration means is not this file's matter.
 */

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { and, eq } from 'drizzle-orm';
import { newId } from '../db/ids.ts';
import type { Reader, Tx } from '../db/open.ts';
import { storageConfigs } from '../db/schema.ts';
import { ForensicsError } from '../errors.ts';
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

// The sealed form: one byte of format, the nonce, the text, the tag.
const format = 1;
const nonceBytes = 12;
const tagBytes = 16;

export function createSealedConfigs({ key, now }: SealedConfigsSettings): SealedConfigs {
  if (key.length !== 32) throw new RangeError('AES-256 takes a key of 32 bytes.');

  function seal(config: StorageConfig, owner: Owner): Buffer {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(bindingOf(owner));
    const text = Buffer.concat([cipher.update(JSON.stringify(config), 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.of(format), nonce, text, cipher.getAuthTag()]);
  }

  function unseal(row: ConfigRow): StorageConfig {
    const { sealed } = row;
    if (sealed[0] !== format) throw new Error('The sealed form is unknown.');
    const nonce = sealed.subarray(1, 1 + nonceBytes);
    const text = sealed.subarray(1 + nonceBytes, sealed.length - tagBytes);
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
      .setAAD(bindingOf(row))
      .setAuthTag(sealed.subarray(sealed.length - tagBytes));
    const opened = Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
    // The tag proves that `seal` wrote it, so it has the type of what was sealed.
    return JSON.parse(opened);
  }

  return {
    save(tx, tenantId, config) {
      const place = placeOf(config);
      const at = now();
      const isPlace = and(eq(storageConfigs.tenantId, tenantId), eq(storageConfigs.place, place));
      const known = tx.select({ id: storageConfigs.id }).from(storageConfigs).where(isPlace).get();
      const id = known?.id ?? newId(at);
      const sealed = seal(config, { tenantId, id });
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
        return unseal(row);
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

/** Authenticated with the text: a row that was copied to another tenant or another id does not open. */
function bindingOf({ tenantId, id }: Owner): Buffer {
  return Buffer.from(`forensics/blobs/configs/${format}/${tenantId}/${id}`);
}
