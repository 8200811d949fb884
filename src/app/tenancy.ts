import { createTenancy, type Tenancy } from '../tenancy/tenancy.ts';
import type { Core } from './core.ts';
import type { TenantStorage } from './tenant-storage.ts';

/** Not a part of the core: clients for S3 and Azure are slow to load, and few commands need them. */
export function openTenancy(
  { database, keys }: Pick<Core, 'database' | 'keys'>,
  storage: TenantStorage,
  now: () => Date,
): Tenancy {
  return createTenancy({ ...storage, db: database.db, keys, now });
}
