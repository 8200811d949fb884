/** `forensics keys create`. */

import { operator } from '../../audit/entry.ts';
import { print, printJson, say, tenantNamed, withLocalCore } from '../local-core.ts';
import type { KeyOptions } from './options.ts';
import { intoSecretFile } from './secret-file.ts';

export interface CreateOptions extends KeyOptions {
  readonly name: string;
  readonly expiresIn: number;
  readonly out?: string;
}

export async function create(options: CreateOptions): Promise<void> {
  const { out } = options;
  const key = await (out === undefined
    ? mint(options)
    : intoSecretFile(
        out,
        () => mint(options),
        ({ secret }) => secret,
      ));
  const { secret, ...shown } = key;
  if (options.json) return printJson(out === undefined ? key : shown);
  const made = `Key "${key.name}" (${key.uuid}), valid until ${key.expiresAt}`;
  if (out !== undefined) return say(`${made}, is in the file of --out.`);
  say(`${made}. It is not shown again:`);
  print(secret);
}

async function mint(options: CreateOptions) {
  return withLocalCore(options, async (core) => {
    const tenant = await tenantNamed(core, options.tenant);
    const expiresAt = new Date(Date.now() + options.expiresIn);
    return core.keys.mint({ tenantId: tenant.id, name: options.name, expiresAt, by: operator });
  });
}
