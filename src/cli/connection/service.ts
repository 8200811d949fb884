/**
 * What commands ask of a service, whichever door they come through: the data folder of this machine (`local.ts`), where
 * the operator acts, or a server (`remote.ts`), where the owner of the login or the API key acts. Both return the values
 * of the `/v1` interface. Tenants are given by name.
 */

import type { UserSettings } from '../../contract/auth.ts';
import type { KeyEntry, WhichKey } from '../../contract/keys.ts';
import type { TenantAnswer } from '../../contract/tenant.ts';
import type { ReportQuery, UsageReport } from '../../contract/usage.ts';
import type { Rotated } from '../../service/access/keys.ts';
import type { UserSettingsChange } from '../../service/access/user-facts.ts';
import type { TenantRequest } from '../../service/tenants/tenancy.ts';

export interface Service {
  readonly keys: KeyActs;
  readonly tenants: TenantActs;
  readonly settings: SettingsActs;
}

interface NewKey {
  readonly tenant: string;
  readonly name: string;
  readonly expiresAt: Date;
}

interface Rotation {
  readonly tenant: string;
  readonly which: WhichKey;
  /** End of the new key. */
  readonly expiresAt: Date;
  readonly graceMs: number;
}

/** `Keys` of the access room says what each act refuses; a server may also refuse the caller. */
export interface KeyActs {
  /**
   * Newest first, masked.
   *
   * @param bySecret - the API key to ask with, instead of the usual credentials.
   * @throws {ForensicsError} when that key is not accepted for the tenant.
   */
  list(tenant: string, bySecret?: string): Promise<readonly KeyEntry[]>;
  /** With its secret, this once. */
  create(key: NewKey): Promise<KeyEntry>;
  /** The new key with its secret, this once. */
  rotate(rotation: Rotation): Promise<Rotated>;
  revoke(key: { tenant: string; uuid: string; bySecret?: string }): Promise<void>;
  /** Revokes those of the named keys that have ended. @returns what was revoked. */
  prune(keys: { tenant: string; uuids: readonly string[] }): Promise<readonly KeyEntry[]>;
}

export interface TenantActs {
  /** Of every tenant that the caller may see, by name. @throws {ForensicsError} `usage` with an API key. */
  names(): Promise<readonly string[]>;
  read(tenant: string): Promise<TenantAnswer>;
  change(tenant: string, request: TenantRequest): Promise<TenantAnswer>;
  report(tenant: string, query: ReportQuery): Promise<UsageReport>;
}

export interface SettingsActs {
  /**
   * Changes what is given, and returns all settings.
   *
   * @param who - email address or id of an account; null for the person who is logged in to a server.
   * @throws {ForensicsError} `usage` for the one that this service does not offer.
   */
  change(who: string | null, change: UserSettingsChange): Promise<UserSettings>;
}
