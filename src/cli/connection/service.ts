/**
 * What commands need from a service, either the data folder of this machine (`local.ts`), where the operator acts, or a
 * server (`remote.ts`), where the owner of the login or API key acts. Both return values of the `/v1` API. Tenants are
 * given by name.
 */

import type { KeyEntry, KeySelector } from '../../contract/keys.ts';
import type { TenantResponse } from '../../contract/tenant.ts';
import type { ReportQuery, UsageReport } from '../../contract/usage.ts';
import type { Rotated } from '../../service/access/keys.ts';
import type { TenantRequest } from '../../service/tenants/tenancy.ts';

export interface Service {
  readonly keys: KeyActs;
  readonly tenants: TenantActs;
}

interface NewKey {
  readonly tenant: string;
  readonly name: string;
  readonly expiresAt: Date;
}

interface Rotation {
  readonly tenant: string;
  readonly which: KeySelector;
  /** When the new key expires. */
  readonly expiresAt: Date;
  readonly graceMs: number;
}

/** The errors of each method are documented at `Keys` in the access room; a server may also reject the caller. */
export interface KeyActs {
  /**
   * Newest first, masked.
   *
   * @param bySecret - the API key to authenticate with, instead of the usual credentials.
   * @throws {ForensicsError} when that key is not accepted for the tenant.
   */
  list(tenant: string, bySecret?: string): Promise<readonly KeyEntry[]>;
  /** Returns the key with its secret, which is never shown again. */
  create(key: NewKey): Promise<KeyEntry>;
  /** Returns the new key with its secret, which is never shown again. */
  rotate(rotation: Rotation): Promise<Rotated>;
  revoke(key: { tenant: string; uuid: string; bySecret?: string }): Promise<void>;
  /** Revokes those of the given keys that have ended. @returns the revoked keys. */
  prune(keys: { tenant: string; uuids: readonly string[] }): Promise<readonly KeyEntry[]>;
}

export interface TenantActs {
  /** Every tenant that the caller may see, ordered by name. @throws {ForensicsError} `usage` with an API key. */
  names(): Promise<readonly string[]>;
  read(tenant: string): Promise<TenantResponse>;
  change(tenant: string, request: TenantRequest): Promise<TenantResponse>;
  report(tenant: string, query: ReportQuery): Promise<UsageReport>;
}
