/** `forensics keys rotate`: a new key in place of an old one that stays good for a while. */

import { operator } from '../../audit/entry.ts';
import { usageError } from '../failure.ts';
import { print, printJson, say, tenantNamed, withLocalCore } from '../local-core.ts';
import type { KeyOptions } from './options.ts';

export interface RotateOptions extends KeyOptions {
  readonly name?: string;
  readonly uuid?: string;
  /** Milliseconds. */
  readonly expiresIn: number;
  /** Milliseconds. */
  readonly grace: number;
  /** No grace. */
  readonly now?: true;
}

export async function rotate(options: RotateOptions): Promise<void> {
  const which = whichOf(options);
  const { key, replaced } = await withLocalCore(options, async (core) => {
    const tenant = await tenantNamed(core, options.tenant);
    const expiresAt = new Date(Date.now() + options.expiresIn);
    const graceMs = options.now === true ? 0 : options.grace;
    return core.keys.rotate({ tenantId: tenant.id, which, expiresAt, graceMs, by: operator });
  });
  if (options.json) return printJson({ key, replaced });
  say(`The old key (${replaced.uuid}) ends at ${replaced.expiresAt}.`);
  say(`Key "${key.name}" (${key.uuid}), valid until ${key.expiresAt}. It is not shown again:`);
  print(key.secret);
}

function whichOf({ name, uuid }: RotateOptions) {
  if (uuid !== undefined) return { uuid };
  if (name !== undefined) return { name };
  throw usageError('Say which key: --name, or --uuid as "keys list" tells it.');
}
