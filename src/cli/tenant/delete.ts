/** `forensics tenant delete`. */

import { operator } from '../../audit/entry.ts';
import { deleteTenant } from '../../app/delete-tenant.ts';
import { confirmByName } from '../confirm.ts';
import { tenantNamed } from '../../app/tenant-named.ts';
import { type LocalOptions, withLocalCore } from '../local-core.ts';
import { printJson, say } from '../talk.ts';

export interface DeleteOptions extends LocalOptions {
  readonly json: boolean;
  readonly yes: boolean;
}

const now = () => new Date();

export async function remove(name: string, options: DeleteOptions): Promise<void> {
  const done = await withLocalCore(options, async (core) => {
    const tenant = await tenantNamed(core, name);
    if (!(await isAgreed(name, options))) return null;
    return deleteTenant(core, { tenant, by: operator, now });
  });
  if (done === null) return tellNothing(options);
  const { tenant, analyses } = done;
  const shown = { id: tenant.id, name, keptAs: tenant.name, analyses };
  if (options.json) return printJson({ ...shown, deleted: true });
  say(`Tenant "${name}" is deleted, with ${analyses} analyses. Its name is free.`);
  say(`What is kept until the retention purge stands under "${tenant.name}".`);
}

async function isAgreed(name: string, { yes }: DeleteOptions): Promise<boolean> {
  const question = `Delete the tenant "${name}", its keys and all its analyses, for good?`;
  return yes || confirmByName(question, name);
}

function tellNothing({ json }: DeleteOptions): void {
  if (json) return printJson({ deleted: false });
  say('That is not its name; nothing was deleted.');
}
