import { X509Certificate } from 'node:crypto';
import { readCredentials } from '../server/credentials.ts';
import type { Profile } from '../server/profiles.ts';

/** A profile as people may see it: no key, no token. */
export interface ShownProfile {
  readonly name: string;
  readonly url: string;
  readonly tenant: string | null;
  /** Address of the person whose session it is, or `API key`; null when nobody is logged in. */
  readonly loggedInAs: string | null;
  /** How the server is known again. */
  readonly trusts: string;
}

export function shownProfile(profile: Profile): ShownProfile {
  const { name, url, tenant = null } = profile;
  return { name, url, tenant, loggedInAs: whoIn(name), trusts: trustIn(profile) };
}

function whoIn(name: string): string | null {
  const credentials = readCredentials(name);
  if (credentials === null) return null;
  return credentials.kind === 'session' ? credentials.email : 'API key';
}

function trustIn({ ca, fingerprint }: Profile): string {
  if (ca !== undefined) return `the authority ${new X509Certificate(ca).fingerprint256}`;
  return fingerprint === undefined ? 'the authorities of the system' : `SHA-256 ${fingerprint}`;
}
