/** `forensics login`. Nothing is kept before the server took it. */

import type { Api } from '../../client/api.ts';
import { openApi } from '../../client/open.ts';
import { printFields } from '../print-fields.ts';
import { alone, type Credentials, saveCredentials } from '../server/credentials.ts';
import { userAgent } from '../server/open.ts';
import { type Profile, saveProfile, trustOf } from '../server/profiles.ts';
import type { ServerOptions } from '../service-options.ts';
import { say } from '../talk.ts';
import { proveKey } from './api-key.ts';
import { logInAsPerson } from './person.ts';
import { profileToMake } from './profile-to-make.ts';

export interface LoginOptions extends ServerOptions {
  readonly tenant?: string;
  readonly email?: string;
  readonly passwordStdin: boolean;
  readonly scope: string;
  readonly audience?: string;
  readonly json: boolean;
}

/** What a login came to. */
export interface LoggedIn {
  readonly credentials: Credentials;
  /** Null when there is none, or several to choose from. */
  readonly tenant: string | null;
}

export async function login(options: LoginOptions): Promise<void> {
  const asked = await profileToMake(options);
  const { url } = asked;
  const api = await openApi({ url, trust: trustOf(asked), userAgent: userAgent() });
  try {
    say(`Logging in to the server ${api.url.origin}`);
    const { credentials, tenant } = await logIn(api, asked, options);
    const profile = { ...asked, url: api.url.origin, ...(tenant === null ? {} : { tenant }) };
    await keep(profile, credentials);
    tell(profile, credentials, options);
  } finally {
    await api.close();
  }
}

async function logIn(api: Api, asked: Profile, options: LoginOptions): Promise<LoggedIn> {
  const { apiKeyFile } = options;
  return apiKeyFile === undefined
    ? logInAsPerson(api, { ...options, asked })
    : proveKey(api, apiKeyFile, asked.tenant);
}

/** The credentials last: without its profile nobody finds them. */
async function keep(profile: Profile, credentials: Credentials): Promise<void> {
  await alone(profile.name, async () => {
    saveProfile(profile);
    saveCredentials(profile.name, credentials);
  });
}

function tell(
  { name, url, tenant }: Profile,
  credentials: Credentials,
  options: LoginOptions,
): void {
  const loggedInAs = credentials.kind === 'session' ? credentials.email : 'API key';
  printFields({ profile: name, url, tenant: tenant ?? null, loggedInAs }, options);
  say(`Add --profile ${name} to a command, or set FORENSICS_PROFILE=${name}.`);
}
