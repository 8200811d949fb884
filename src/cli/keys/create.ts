/** `forensics keys create`. */

import { withService } from '../service/open.ts';
import { print, printJson, say } from '../talk.ts';
import { orRevoke, shownKey, withSecretFile } from './new-key.ts';
import type { KeyOptions } from './options.ts';

export interface CreateOptions extends KeyOptions {
  readonly name: string;
  readonly expiresIn: number;
  readonly out?: string;
}

export async function create(options: CreateOptions): Promise<void> {
  const { tenant, name, expiresIn, out } = options;
  const key = await withService(options, async ({ keys }) =>
    withSecretFile(out, async (file) => {
      const made = await keys.create({ tenant, name, expiresAt: new Date(Date.now() + expiresIn) });
      await orRevoke(keys, { tenant, key: made, otherwise: '' }, async () =>
        file?.write(made.secret),
      );
      return made;
    }),
  );
  if (options.json) return printJson(shownKey(key, out));
  const told = `Key "${key.name}" (${key.uuid}), valid until ${key.expiresAt}`;
  if (out !== undefined) return say(`${told}, is in ${out}.`);
  say(`${told}. It is not shown again:`);
  print(key.secret);
}
