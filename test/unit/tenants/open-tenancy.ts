/** Tenants with everything that their settings need, on a database of their own. */

import { createKeys } from '../../../src/access/keys.ts';
import { createTenants } from '../../../src/access/tenants.ts';
import { createAddressGuard, createConnectionGuard } from '../../../src/network/address-guard.ts';
import { createBucketCors } from '../../../src/storage/bucket-cors.ts';
import { createSealedConfigs } from '../../../src/storage/configs.ts';
import type { OpenRemoteStore } from '../../../src/storage/stores.ts';
import { createTenancy } from '../../../src/tenants/tenancy.ts';
import { testDb } from '../db/temporary.ts';

interface Parts {
  readonly now: () => Date;
  readonly openRemote: OpenRemoteStore;
  readonly defaultOrigins?: readonly string[];
  readonly webhookAllow?: readonly string[];
}

export async function openTenancy({
  now,
  openRemote,
  defaultOrigins = [],
  webhookAllow = ['external'],
}: Parts) {
  const db = await testDb();
  const keys = createKeys({ db, pepper: Buffer.alloc(32, 5), now });
  const configs = createSealedConfigs({ key: Buffer.alloc(32, 6), now });
  const cors = createBucketCors({ db, defaultOrigins, now });
  const webhookGuard = createConnectionGuard(createAddressGuard(webhookAllow));
  const parts = { db, keys, configs, cors, openRemote, webhookGuard, now };
  const tenancy = createTenancy({ ...parts, defaultType: 's3' });
  return { db, tenants: createTenants({ db, now }), keys, configs, cors, tenancy };
}
