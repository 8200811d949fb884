/** Tenants with everything that their settings need, in their own database. */

import { createKeys } from '../../../../src/service/access/keys.ts';
import { createTenants } from '../../../../src/service/tenants/tenants.ts';
import { createBucketCors, type OpenRemoteStore } from '../../../../src/ports/storage/stores.ts';
import { createSealedConfigs } from '../../../../src/ports/storage/configs.ts';
import { createTenancy } from '../../../../src/service/tenants/tenancy.ts';
import { testDb } from '../../ports/db/temporary.ts';

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
  const parts = { db, keys, configs, cors, openRemote, webhookAllow, now };
  const tenancy = createTenancy({ ...parts, defaultType: 's3' });
  return { db, tenants: createTenants({ db, now }), keys, configs, cors, tenancy };
}
