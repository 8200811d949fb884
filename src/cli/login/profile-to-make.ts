import { httpsAddress } from '../../client/open.ts';
import { ForensicsError } from '../../errors.ts';
import { usageError } from '../failure.ts';
import { serverMentioned, trustGiven } from '../server/place.ts';
import { checkProfileName, type Profile, profileNamed, readProfile } from '../server/profiles.ts';
import type { LoginOptions } from './run.ts';

/**
 * The profile as it will be when the login succeeds: what an earlier login said stays, unless something else is said now.
 *
 * @throws {ForensicsError} `usage`, `not_found` for a name alone that nobody knows, `conflict` for the name of another server.
 */
export async function profileToMake(options: LoginOptions): Promise<Profile> {
  const { url, profile: name } = serverMentioned(options);
  const given = { ...(await trustGiven(options)), ...tenantIn(options) };
  if (url === undefined) {
    if (name === undefined) throw usageError('Name the server: --url https://host:port.');
    return updated(profileNamed(name), given);
  }
  const { origin, hostname } = httpsAddress(url);
  const made = checkProfileName(name ?? hostname);
  const kept = readProfile(made);
  if (kept === null) return { name: made, url: origin, ...given };
  if (kept.url === origin) return updated(kept, given);
  throw new ForensicsError(
    'conflict',
    `The profile "${made}" is for ${kept.url}; choose another --profile, or remove it first: forensics profile remove ${made}`,
  );
}

/** One way to know the server again takes the place of the other. */
function updated({ ca, fingerprint, ...kept }: Profile, given: Partial<Profile>): Profile {
  const isKnownAnew = given.ca !== undefined || given.fingerprint !== undefined;
  const before = isKnownAnew ? {} : { ...(ca && { ca }), ...(fingerprint && { fingerprint }) };
  return { ...kept, ...before, ...given };
}

function tenantIn({ tenant }: LoginOptions): { tenant?: string } {
  return tenant === undefined ? {} : { tenant };
}
