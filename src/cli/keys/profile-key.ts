/** The key that a profile keeps: where a rotation replaces that very one, the profile gets the new one. */

import type { Rotated } from '../../access/keys.ts';
import { readCredentials, saveCredentials } from '../server/credentials.ts';
import { serverNamed } from '../server/place.ts';
import { isRemote, type ServiceOptions } from '../service-options.ts';

/** @returns the name of the profile that was renewed, or null. @throws {ForensicsError} `output_not_writable`. */
export function renewInProfile(
  options: ServiceOptions,
  { key, replaced }: Pick<Rotated, 'key' | 'replaced'>,
): string | null {
  const profile = isRemote(options) ? serverNamed(options).profile : undefined;
  if (profile === undefined) return null;
  const kept = readCredentials(profile);
  if (kept?.kind !== 'apiKey' || !isMaskOf(replaced.secret, kept.apiKey)) return null;
  saveCredentials(profile, { kind: 'apiKey', apiKey: key.secret });
  return profile;
}

/** The tag before the stars and the four characters behind them: of a tenant's keys one in 14 million has the same. */
function isMaskOf(masked: string, secret: string): boolean {
  const [start = '', end = ''] = masked.split(/\*+/);
  return start !== '' && end !== '' && secret.startsWith(start) && secret.endsWith(end);
}
