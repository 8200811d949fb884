/** `forensics login`, which saves a server and an API key as a profile, and `forensics profile`. */

import { X509Certificate } from 'node:crypto';
import { checkAccess } from '../client/analyses.ts';
import { httpsAddress, openApi } from '../client/api.ts';
import { withoutUndefined } from '../../contract/common.ts';
import { conflict, usageError } from '../../contract/errors.ts';
import { type Command, named, type ServerOptions } from '../options.ts';
import { printFields, printList } from '../output/layout.ts';
import { log } from '../output/terminal.ts';
import {
  apiKeyFrom,
  checkProfileName,
  listProfiles,
  type Profile,
  profileNamed,
  readApiKey,
  readAuthority,
  readProfile,
  removeProfile,
  saveApiKey,
  saveProfile,
  serverMentioned,
  userAgent,
} from '../connection/server.ts';

export function defineLogin(command: Command): void {
  command
    .serverOptions()
    .option('--tenant <name>', 'the tenant of the key', named)
    .option('--json', 'print JSON', false)
    .helpAfter(`
Create a key in the console or with "forensics keys create". Nothing is saved before the server has accepted it.

If the server has its own certificate authority, give its tls/ca.pem (in the server's data folder) with --ca FILE; the
profile stores it. Choose the profile's name with --profile; the default is the host.

Examples:
  $ forensics login --url https://forensics.example --api-key-file ci.key --tenant acme --profile ci
  $ forensics login --profile ci --api-key-file new.key
  $ forensics analyze *.jpg --profile ci`)
    .action(login);
}

interface LoginOptions extends ServerOptions {
  readonly tenant?: string;
  readonly json: boolean;
}

async function login(options: LoginOptions): Promise<void> {
  const { apiKeyFile } = options;
  const wanted = await profileToSave(options);
  const { name, tenant, ca = null } = wanted;
  if (apiKeyFile === undefined) throw usageError('Specify the API key with --api-key-file FILE.');
  if (tenant === undefined) throw usageError('Specify the tenant of the key with --tenant NAME.');
  const apiKey = await apiKeyFrom(apiKeyFile);
  const api = openApi({ url: wanted.url, ca, userAgent: userAgent() });
  const url = api.url.origin;
  try {
    log(`Logging in to the server ${url}`);
    await checkAccess(api, tenant, { authorization: `ApiKey ${apiKey}` });
  } finally {
    await api.close();
  }
  // The key is saved last, because it is found through the profile.
  saveProfile({ ...wanted, url });
  saveApiKey(name, apiKey);
  printFields({ profile: name, url, tenant, loggedInAs: 'API key' }, options);
  log(`Add --profile ${name} to a command, or set FORENSICS_PROFILE=${name}.`);
}

/** The profile to save when the login succeeds: the one from an earlier login, with the given options applied. */
async function profileToSave(options: LoginOptions): Promise<Profile> {
  const { url, profile: name } = serverMentioned(options);
  const { tenant } = options;
  const given = withoutUndefined({ ca: await readAuthority(options), tenant });
  if (url === undefined) {
    if (name === undefined) throw usageError('Specify the server with --url https://host:port.');
    return { ...profileNamed(name), ...given };
  }
  const { origin, hostname } = httpsAddress(url);
  const made = checkProfileName(name ?? hostname);
  const kept = readProfile(made);
  if (kept === null) return { name: made, url: origin, ...given };
  if (kept.url === origin) return { ...kept, ...given };
  throw conflict(
    `The profile "${made}" is for ${kept.url}; choose another --profile, or remove it first: forensics profile remove ${made}`,
  );
}

export function defineProfile(profile: Command): void {
  profile
    .helpAfter(`
"forensics login" creates a profile. Commands use its server with --profile NAME or FORENSICS_PROFILE; without
either, and without --url, they act on this machine. Keys are never shown.`)
    .examples('list', 'remove lab');
  profile
    .subcommand('list', 'List all profiles, by name.')
    .examples('', '--json')
    .option('--json', 'print JSON', false)
    .action(list);
  const removes =
    'Delete a profile and its API key from this machine. The key stays valid on the server.';
  profile
    .subcommand('remove', removes)
    .examples('lab', 'ci --quiet')
    .argument('<name>', 'the profile')
    .action((name: string) => {
      profileNamed(name);
      removeProfile(name);
      log(`The profile "${name}" was removed.`);
    });
}

function list(options: { readonly json: boolean }): void {
  const profiles = listProfiles().map(({ name, url, tenant = null, ca }) => ({
    name,
    url,
    tenant,
    loggedInAs: readApiKey(name) === null ? null : 'API key',
    trusts:
      ca === undefined
        ? "the system's certificate authorities"
        : `the authority ${new X509Certificate(ca).fingerprint256}`,
  }));
  printList(
    profiles,
    {
      name: ({ name }) => name,
      server: ({ url }) => url,
      tenant: ({ tenant }) => tenant ?? '',
      'logged in as': ({ loggedInAs }) => loggedInAs ?? '-',
    },
    { ...options, none: 'There are no profiles; "forensics login" creates one.' },
  );
}
