/** `forensics login` and `logout`: get credentials from a server and save them in a profile, or remove them. */

import type { Command } from '../command.ts';
import type { Static } from 'typebox';
import { checkAccess } from '../client/analyses.ts';
import type { Api } from '../client/api.ts';
import { httpsAddress, openApi } from '../client/connect.ts';
import { infoResponse, loginResponse } from '../../contract/auth.ts';
import { messageResponse } from '../../contract/common.ts';
import { nullOn, hasCode, ForensicsError } from '../../errors.ts';
import { usageError } from '../errors.ts';
import { calling, named, type ServerOptions, withServerOptions } from '../options.ts';
import { printFields } from '../output/layout.ts';
import { askHidden, askLine, canAsk, readFirstLine } from '../input.ts';
import { log } from '../output/terminal.ts';
import {
  withProfileLock,
  apiKeyFrom,
  checkProfileName,
  type Credentials,
  removeCredentials,
  type Profile,
  profileNamed,
  readCredentials,
  readProfile,
  saveCredentials,
  saveProfile,
  type Session,
  profileTrust,
  renewSession,
  createSession,
} from '../connection/profiles.ts';
import { serverMentioned, trustGiven, userAgent } from '../connection/server.ts';

export function defineLogin(command: Command): void {
  withServerOptions(command)
    .option('--tenant <name>', 'the default tenant for commands with this profile', named)
    .option(
      '--email <address>',
      'the email address to log in with, if the server has its own accounts',
      named,
    )
    .option('--password-stdin', 'read the password from standard input', false)
    .option('--json', 'print JSON', false)
    .helpAfter(`
A server with its own accounts asks for an email address and password. With --api-key-file, a key is saved instead, and
--tenant names its tenant; with an identity provider (OpenID Connect), only that is possible. Nothing is saved before the
server has accepted it.

Verify a server whose certificate comes from its own authority with --ca FILE, or with --fingerprint and the SHA-256 that
"forensics serve" prints on its first start. The profile stores it. Choose the profile's name with --profile; the default is the host.

Examples:
  $ forensics login --url https://forensics.example:8443 --fingerprint 9B:60:...:A1 --profile lab
  $ forensics login --profile lab
  $ forensics login --url https://forensics.example --api-key-file ci.key --tenant acme --profile ci
  $ forensics analyze *.jpg --profile lab --tenant acme`)
    .action(calling(login));
}

export function defineLogout(command: Command): void {
  command
    .option('--profile <name>', 'the profile to log out of (or FORENSICS_PROFILE)', named)
    .helpAfter(`
The server ends your sessions on all devices. An API key is only deleted here; it stays valid until it expires or is
revoked with "forensics keys revoke". The profile itself stays, for the next login; "forensics profile remove" deletes it
too, without contacting the server.

Examples:
  $ forensics logout --profile lab
  $ forensics logout --profile ci --quiet`)
    .action(calling(logout));
}

interface LoginOptions extends ServerOptions {
  readonly tenant?: string;
  readonly email?: string;
  readonly passwordStdin: boolean;
  readonly json: boolean;
}

interface LoggedIn {
  readonly credentials: Credentials;
  /** Null if the account has no tenant or several. */
  readonly tenant: string | null;
}

async function login(options: LoginOptions): Promise<void> {
  const wanted = await profileToSave(options);
  const { url } = wanted;
  const { apiKeyFile } = options;
  const api = await openApi({ url, trust: profileTrust(wanted), userAgent: userAgent() });
  try {
    log(`Logging in to the server ${api.url.origin}`);
    const { credentials, tenant } =
      apiKeyFile === undefined
        ? await logInAsUser(api, { ...options, wanted })
        : await checkKey(api, apiKeyFile, wanted.tenant);
    const profile = { ...wanted, url: api.url.origin, ...(tenant === null ? {} : { tenant }) };
    await withProfileLock(profile.name, async () => {
      // The credentials are saved last, because they are found through the profile.
      saveProfile(profile);
      saveCredentials(profile.name, credentials);
    });
    printLogin(profile, credentials, options);
  } finally {
    await api.close();
  }
}

function printLogin(
  { name, url, tenant }: Profile,
  credentials: Credentials,
  options: LoginOptions,
): void {
  const loggedInAs = credentials.kind === 'session' ? credentials.email : 'API key';
  printFields({ profile: name, url, tenant: tenant ?? null, loggedInAs }, options);
  log(`Add --profile ${name} to a command, or set FORENSICS_PROFILE=${name}.`);
}

async function checkKey(api: Api, file: string, tenant: string | undefined): Promise<LoggedIn> {
  if (tenant === undefined) throw usageError('Specify the tenant of the key with --tenant NAME.');
  const apiKey = await apiKeyFrom(file);
  await checkAccess(api, tenant, { authorization: `ApiKey ${apiKey}` });
  return { credentials: { kind: 'apiKey', apiKey }, tenant };
}

async function readPassword({
  email: given,
  passwordStdin,
}: Pick<LoginOptions, 'email' | 'passwordStdin'>): Promise<{ email: string; password: string }> {
  if (passwordStdin) {
    if (given === undefined) throw usageError('--password-stdin needs --email ADDRESS.');
    return { email: given, password: await readFirstLine('-') };
  }
  if (!canAsk()) {
    throw usageError(
      'The password can be asked for only in a terminal. Give --email and --password-stdin, or --api-key-file and --tenant.',
    );
  }
  const advice = 'Enter the email address of your account.';
  const email = given ?? (await askLine('Email address:', advice));
  return { email, password: await askHidden('Password: ') };
}

interface UserOptions extends LoginOptions {
  readonly wanted: Profile;
}

type Answer = Static<typeof loginResponse>['data'];

async function logInAsUser(api: Api, options: UserOptions): Promise<LoggedIn> {
  await assertPasswords(api);
  const tokens = await loginWith(api, await readPassword(options));
  if (!('accessToken' in tokens)) throw passwordsRefused(tokens.issuer);
  const at = Date.now();
  const authorization = `Bearer ${tokens.accessToken}`;
  const { data: holder } = await api.request(
    { method: 'POST', path: '/v1/auth/info', authorization },
    infoResponse,
  );
  return {
    credentials: createSession(tokens, { email: holder.email, at }),
    tenant: chooseTenant(holder.tenants, options.wanted.tenant),
  };
}

/**
 * A server that keeps the accounts itself rejects this request only because the email address and password are missing,
 * and does not count a failed login.
 */
async function assertPasswords(api: Api): Promise<void> {
  const data = await nullOn(['invalid_request'], () => loginWith(api, {}));
  if (data !== null && 'issuer' in data) throw passwordsRefused(data.issuer);
}

function passwordsRefused(issuer: string): ForensicsError {
  const message = `Users of this server log in at ${issuer}; use an API key instead: --api-key-file.`;
  return new ForensicsError('not_offered', message);
}

async function loginWith(api: Api, body: object): Promise<Answer> {
  const path = '/v1/auth/login';
  return (await api.request({ method: 'POST', path, authorization: null, body }, loginResponse))
    .data;
}

function chooseTenant(tenants: readonly string[], wanted: string | undefined): string | null {
  if (wanted === undefined) return tenants.length === 1 ? tenants[0]! : null;
  if (tenants.includes(wanted)) return wanted;
  throw new ForensicsError(
    'forbidden',
    `You have no access to the tenant "${wanted}"; ${tenants.length === 0 ? 'your account has no tenant' : `yours are ${tenants.join(', ')}`}.`,
  );
}

/** The profile to save when the login succeeds: the one from an earlier login, with the given options applied. */
async function profileToSave(options: LoginOptions): Promise<Profile> {
  const { url, profile: name } = serverMentioned(options);
  const { tenant } = options;
  const given = { ...(await trustGiven(options)), ...(tenant === undefined ? {} : { tenant }) };
  if (url === undefined) {
    if (name === undefined) throw usageError('Specify the server with --url https://host:port.');
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

/** If one way of verifying the server is given, it replaces the other. */
function updated({ ca, fingerprint, ...kept }: Profile, given: Partial<Profile>): Profile {
  const hasNewTrust = given.ca !== undefined || given.fingerprint !== undefined;
  const before = hasNewTrust ? {} : { ...(ca && { ca }), ...(fingerprint && { fingerprint }) };
  return { ...kept, ...before, ...given };
}

async function logout(options: { readonly profile?: string }): Promise<void> {
  const { profile: name } = serverMentioned(options);
  if (name === undefined)
    throw usageError('Specify the profile to log out of with --profile NAME.');
  const profile = profileNamed(name);
  const credentials = readCredentials(name);
  if (credentials === null) return log(`The profile "${name}" is not logged in.`);
  if (credentials.kind === 'session') await endSession(profile, credentials);
  await withProfileLock(name, async () => removeCredentials(name));
  log(
    credentials.kind === 'session'
      ? `Logged out of ${profile.url}.`
      : `The API key was deleted here but stays valid. Run "forensics keys revoke" to end it.`,
  );
}

async function endSession(profile: Profile, session: Session): Promise<void> {
  // Some providers issue no refresh token; the access token expires soon anyway.
  if (session.refreshToken === '') return;
  const { url } = profile;
  const api = await openApi({ url, trust: profileTrust(profile), userAgent: userAgent() });
  try {
    await revokeWithFreshTokens(api, profile.name, session);
  } catch (error) {
    if (!hasCode(error, 'unauthenticated')) throw error;
    log('The session had already ended.');
  } finally {
    await api.close();
  }
}

/** An ID token expires before its session does, so a new one may be needed to end the session. */
async function revokeWithFreshTokens(api: Api, name: string, session: Session): Promise<void> {
  try {
    await revoke(api, session);
  } catch (error) {
    if (!hasCode(error, 'unauthenticated')) throw error;
    const isDue = ({ refreshToken }: Session) => refreshToken === session.refreshToken;
    await revoke(api, await renewSession(name, { api, now: Date.now, isDue }));
  }
}

async function revoke(api: Api, { idToken, refreshToken }: Session): Promise<void> {
  const path = '/v1/auth/revoke';
  const body = { idToken, refreshToken };
  await api.request({ method: 'POST', path, authorization: null, body }, messageResponse);
}
