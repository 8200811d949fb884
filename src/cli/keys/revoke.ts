/** `forensics keys revoke`. */

import { printJson, say, tenantNamed, withLocalCore } from '../local-core.ts';
import type { KeyOptions } from './options.ts';

export async function revoke(uuid: string, options: KeyOptions): Promise<void> {
  await withLocalCore(options, async (core) => {
    const tenant = await tenantNamed(core, options.tenant);
    await core.keys.revoke(tenant.id, uuid);
  });
  if (options.json) return printJson({ uuid, revoked: true });
  say(`Key ${uuid} is revoked.`);
}
