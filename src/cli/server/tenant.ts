import { usageError } from '../failure.ts';
import type { ServerOptions } from '../service-options.ts';
import { profileNamed, type Profile } from './profiles.ts';
import { serverNamed } from './place.ts';

/**
 * The tenant that a command on a server acts for: the one that was named, else the profile's.
 *
 * @throws {ForensicsError} `usage` when neither is there.
 */
export function tenantMeant(options: ServerOptions & { readonly tenant?: string }): string {
  const tenant = options.tenant ?? profileMeant(options)?.tenant;
  if (tenant !== undefined) return tenant;
  throw usageError('Name the tenant: --tenant NAME.');
}

function profileMeant(options: ServerOptions): Profile | null {
  const { profile } = serverNamed(options);
  return profile === undefined ? null : profileNamed(profile);
}
