/** Where a tenant's objects are. Each configuration is sealed for one tenant and row, so a copy cannot be opened. */

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { and, eq } from 'drizzle-orm';
import { newId, type Reader, type Tx } from '../db/database.ts';
import { storageConfigs } from '../db/schema.ts';
import { invalidRequest, storeUnavailable } from '../../contract/errors.ts';
import type { AzureStorageConfig, S3StorageConfig } from '../../contract/tenant.ts';
import { parseConnectionString } from './azure/azure.ts';

export type ConfigRow = typeof storageConfigs.$inferSelect;

export type SealedConfigs = ReturnType<typeof createSealedConfigs>;

type Owner = Pick<ConfigRow, 'tenantId' | 'id'>;

export function createSealedConfigs({ key, now }: { key: Uint8Array; now: () => Date }) {
  const seal = createSeal(key);

  return {
    /**
     * Saves the configuration; CORS rules must then be applied again.
     *
     * @returns the id of its row. If the tenant ever had a row for this place, that row is reused, so that the new
     *   credentials also work for old analyses.
     */
    async save(tx: Tx, tenantId: string, config: StorageConfig) {
      const place = storagePlace(config);
      const at = now();
      const isPlace = and(eq(storageConfigs.tenantId, tenantId), eq(storageConfigs.place, place));
      const known = await tx.select().from(storageConfigs).where(isPlace).get();
      const id = known?.id ?? newId(at);
      const sealed = seal.seal(JSON.stringify(config), sealBinding({ tenantId, id }));
      const fresh = { sealed, corsApplied: null, corsWarning: null, updatedAt: at };
      await tx
        .insert(storageConfigs)
        .values({ id, tenantId, type: config.type, place, createdAt: at, ...fresh })
        .onConflictDoUpdate({ target: storageConfigs.id, set: fresh })
        .run();
      return id;
    },
    async find(reader: Reader, { tenantId, id }: Owner): Promise<ConfigRow | null> {
      const which = and(eq(storageConfigs.tenantId, tenantId), eq(storageConfigs.id, id));
      return (await reader.select().from(storageConfigs).where(which).get()) ?? null;
    },
    /** @throws {ForensicsError} `store_unavailable` if it was encrypted with a different key, or modified. */
    open(row: ConfigRow): StorageConfig {
      try {
        // Decryption proves that `save` wrote this, so its type is right.
        return JSON.parse(seal.open(row.sealed, sealBinding(row)));
      } catch (error) {
        throw storeUnavailable(
          'The storage configuration cannot be decrypted with the current master key. Restore the earlier key, or save the configuration again with its secrets.',
          { cause: error },
        );
      }
    },
  };
}

/** Prevents opening a row that was copied to another tenant or another id. */
function sealBinding({ tenantId, id }: Owner): string {
  return `forensics/blobs/configs/1/${tenantId}/${id}`;
}

// AES-256-GCM, bound to the row in which the secret is stored, so that a copy elsewhere cannot be
// decrypted. Format: a version byte, the nonce, the ciphertext, the tag.
const format = 1;
const nonceBytes = 12;
const tagBytes = 16;

/** @throws {RangeError} unless the key is 32 bytes long. */
export function createSeal(key: Uint8Array) {
  if (key.length !== 32) throw new RangeError('AES-256 needs a key of 32 bytes.');
  return {
    seal(text: string, binding: string) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(binding));
      const hidden = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.of(format), nonce, hidden, cipher.getAuthTag()]);
    },
    /** @throws {Error} if it was encrypted with another key or binding, or modified since. */
    open(sealed: Buffer, binding: string) {
      if (sealed[0] !== format) throw new Error('Unknown format of sealed data.');
      const nonce = sealed.subarray(1, 1 + nonceBytes);
      const hidden = sealed.subarray(1 + nonceBytes, sealed.length - tagBytes);
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
        .setAAD(Buffer.from(binding))
        .setAuthTag(sealed.subarray(sealed.length - tagBytes));
      return Buffer.concat([decipher.update(hidden), decipher.final()]).toString('utf8');
    },
  };
}

export interface Resealed {
  readonly resealed: number;
  /** Number of rows that the old key could not decrypt. They are kept, in case an even older key is restored. */
  readonly unreadable: number;
}

/** Re-encrypts every storage configuration with a new key. @param keys - 32 bytes each. */
export async function resealConfigs(
  tx: Tx,
  keys: { readonly from: Uint8Array; readonly to: Uint8Array },
): Promise<Resealed> {
  const [from, to] = [createSeal(keys.from), createSeal(keys.to)];
  const rows = await tx.select().from(storageConfigs).all();
  let resealed = 0;
  for (const row of rows) {
    let text: string;
    try {
      text = from.open(row.sealed, sealBinding(row));
    } catch {
      continue;
    }
    const sealed = to.seal(text, sealBinding(row));
    await tx.update(storageConfigs).set({ sealed }).where(eq(storageConfigs.id, row.id)).run();
    resealed++;
  }
  return { resealed, unreadable: rows.length - resealed };
}

export type S3Address = Pick<S3StorageConfig, 'endpoint' | 'port' | 'useSSL'>;

/** Settings of the service-wide store, which a tenant's own store does not have. */
interface Shared {
  /** Prefix of all the tenant's keys, because tenants share the bucket. */
  readonly keyPrefix: string;
  /** Where the service itself reaches the S3 server; null if at the same address as clients do. */
  readonly internal: S3Address | null;
}

export type StorageConfig = (
  | { readonly type: 's3'; readonly s3: S3StorageConfig }
  | { readonly type: 'azure'; readonly azure: AzureStorageConfig }
) & { readonly shared?: Shared };

export type SharedConfig = StorageConfig & { readonly shared: Shared };

/**
 * Identifies the place of the objects. It contains no credentials, and is the same for configurations that differ only
 * in their credentials.
 *
 * @throws {ForensicsError} `invalid_request` for an invalid Azure connection string or S3 endpoint.
 */
export function storagePlace(config: StorageConfig): string {
  // Bucket names contain no slash, so a tenant's own bucket is never the same as a part of a shared one.
  const part = config.shared === undefined ? '' : `/${config.shared.keyPrefix}`;
  if (config.type === 's3') return `s3 ${s3Origin(config.s3)}/${config.s3.bucketName}${part}`;
  const { containerName, connectionString } = config.azure;
  return `azure ${parseConnectionString(connectionString).blobEndpoint}/${containerName}${part}`;
}

/** Hosts that the client library accepts, and that are unambiguous in a URL. */
const hostPattern = /^[a-z\d:]([\w.:-]*[a-z\d:.])?$/i;

/** Amazon's regional host, because the host without a region redirects path-style requests. */
export function s3Host({ endpoint, region }: S3StorageConfig): string {
  return endpoint === 's3.amazonaws.com' ? `s3.${region}.amazonaws.com` : endpoint;
}

/** As clients must use it, because signatures include the host. @throws {ForensicsError} `invalid_request`. */
export function s3Origin(config: S3StorageConfig): string {
  const host = s3Host(config);
  const named = isIPv6(host) ? `[${host}]` : host;
  const url = URL.parse(`${config.useSSL ? 'https' : 'http'}://${named}:${config.port}`);
  if (url !== null && hostPattern.test(host)) return url.origin;
  throw invalidRequest(
    'The endpoint must be a host name or an address, without scheme, port and path.',
  );
}
