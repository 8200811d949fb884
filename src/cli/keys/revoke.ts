/** `forensics keys revoke`. */

import { operator } from '../../audit/entry.ts';
import { printJson, say, tenantNamed, withLocalCore } from '../local-core.ts';
import type { KeyOptions } from './options.ts';

export async function revoke(uuid: string, options: KeyOptions): Promise<void> {
  await withLocalCore(options, async (core) => {
    const tenant = await tenantNamed(core, options.tenant);
    await core.keys.revoke({ tenantId: tenant.id, uuid, by: operator });
  });
  if (options.json) return printJson({ uuid, revoked: true });
  say(`Key ${uuid} is revoked.`);
}
