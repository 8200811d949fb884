import { usageError } from '../failure.ts';
import type { ServerOptions } from '../service-options.ts';
import { serverNamed } from './place.ts';
import { type Profile, profileNamed } from './profiles.ts';

/**
 * The tenant that a command on a server acts for: the one that was named, else the profile's.
 *
 * @throws {ForensicsError} `usage` when neither is there.
 */
export function tenantMeant(options: ServerOptions & { readonly tenant?: string }): string {
  const tenant = options.tenant ?? tenantOfProfile(options);
  if (tenant !== undefined) return tenant;
  throw usageError('A server keeps everything by tenant; add --tenant NAME.');
}

export function tenantOfProfile(options: ServerOptions): string | undefined {
  return profileMeant(options)?.tenant;
}

function profileMeant(options: ServerOptions): Profile | null {
  const { profile } = serverNamed(options);
  return profile === undefined ? null : profileNamed(profile);
}
