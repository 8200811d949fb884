/** `forensics keys revoke`. */

import { agreed } from '../confirm.ts';
import { printJson, say } from '../talk.ts';
import { withService } from '../service/open.ts';
import type { KeyOptions } from './options.ts';

export interface RevokeOptions extends KeyOptions {
  readonly yes: boolean;
}

export async function revoke(uuid: string, options: RevokeOptions): Promise<void> {
  const { tenant } = options;
  const isDone = await withService(options, async ({ keys }) => {
    if (!(await agreed(`Revoke the key ${uuid} for good?`, options))) return false;
    await keys.revoke({ tenant, uuid });
    return true;
  });
  if (options.json) return printJson({ uuid, revoked: isDone });
  say(isDone ? `Key ${uuid} is revoked.` : 'Nothing was revoked.');
}
