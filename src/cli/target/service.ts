/**
 * What commands ask of a service, whichever stands behind: the data folder of this machine (`local.ts`), where the operator
 * acts, or a server (`remote.ts`), where whoever logged in or holds the key does. Both answer the same values, those of the
 * `/v1` interface. Tenants are meant by name.
 */

import type { Rotated } from '../../access/keys.ts';
import type { UserSettingsChange } from '../../access/user-facts.ts';
import type { UserSettings } from '../../contract/auth.ts';
import type { KeyEntry, WhichKey } from '../../contract/keys.ts';
import type { TenantAnswer } from '../../contract/tenant.ts';
import type { ReportQuery, UsageReport } from '../../contract/usage.ts';
import type { TenantRequest } from '../../tenants/tenancy.ts';
import { isRemote, type ServiceOptions, withApi } from './options.ts';

export interface Service {
  readonly keys: KeyActs;
  readonly tenants: TenantActs;
  readonly settings: SettingsActs;
}

export interface OfTenant {
  readonly tenant: string;
}

export interface NewKeyWish extends OfTenant {
  readonly name: string;
  readonly expiresAt: Date;
}

export interface RotationWish extends OfTenant {
  readonly which: WhichKey;
  /** End of the new key. */
  readonly expiresAt: Date;
  readonly graceMs: number;
}

export interface KeyProof extends OfTenant {
  readonly secret: string;
}

export interface RevocationWish extends OfTenant {
  readonly uuid: string;
  /** The key that revokes it, in the place of who asks otherwise. */
  readonly bySecret?: string;
}

export interface PruneWish extends OfTenant {
  readonly uuids: readonly string[];
}

/** What each act refuses, `Keys` of the access room says; a server may also refuse who asks. */
export interface KeyActs {
  /** Newest first, masked. */
  list(tenant: string): Promise<readonly KeyEntry[]>;
  /** With its secret, this once. */
  create(wish: NewKeyWish): Promise<KeyEntry>;
  /** The new key with its secret, this once. */
  rotate(wish: RotationWish): Promise<Rotated>;
  /** Asks for something under that key. @throws {ForensicsError} when it does not open the door. */
  prove(proof: KeyProof): Promise<void>;
  revoke(wish: RevocationWish): Promise<void>;
  /** Of the named keys, revokes those that have ended. @returns what was revoked. */
  prune(wish: PruneWish): Promise<readonly KeyEntry[]>;
}

export interface TenantActs {
  /** Of every tenant that whoever asks may see, by name. @throws {ForensicsError} `usage` where only a tenant's name can tell. */
  names(): Promise<readonly string[]>;
  read(tenant: string): Promise<TenantAnswer>;
  change(tenant: string, request: TenantRequest): Promise<TenantAnswer>;
  report(tenant: string, query: ReportQuery): Promise<UsageReport>;
}

export interface SettingsActs {
  /**
   * Changes what is given, and answers all.
   *
   * @param who - address or id of an account; null for the person who is logged in to a server.
   * @throws {ForensicsError} `usage` for the one that this service does not offer.
   */
  change(who: string | null, change: UserSettingsChange): Promise<UserSettings>;
}

// The one place that chooses between this machine and a server.

/**
 * Opens the service for one act and closes it again, also when the act fails. Only what is used is loaded.
 *
 * @throws {ForensicsError} what opening either of them throws.
 */
export async function withService<T>(
  options: ServiceOptions,
  act: (service: Service) => Promise<T>,
): Promise<T> {
  if (isRemote(options)) {
    const { createRemoteService } = await import('./remote-service.ts');
    return withApi(options, async (api) => act(createRemoteService(api)));
  }
  const { createLocalService } = await import('./local-service.ts');
  const { withLocalCore } = await import('./data-folder.ts');
  return withLocalCore(options, async (core, settings) => act(createLocalService(core, settings)));
}
