/** `forensics login`: proves to a server who asks, and keeps the proof under a name. */

import type { Command } from 'commander';
import type { Static } from 'typebox';
import { checkAccess } from '../client/analyses.ts';
import type { Api } from '../client/api.ts';
import { connectionsUnder, httpsAddress, openApi } from '../client/connect.ts';
import { type DevicePrompt, logInByDevice, type Tokens } from '../client/device-login.ts';
import { infoAnswer, loginAnswer } from '../../contract/auth.ts';
import { told } from '../../contract/common.ts';
import { ForensicsError } from '../../errors.ts';
import { usageError } from '../errors.ts';
import { named, type ServerOptions, withServerOptions } from '../options.ts';
import { printFields } from '../output/layout.ts';
import { askHidden, askLine, canAsk, firstLineOf, person } from '../input.ts';
import { log, printable } from '../output/terminal.ts';
import {
  alone,
  apiKeyFrom,
  checkProfileName,
  type Credentials,
  forgetCredentials,
  type Profile,
  profileNamed,
  readCredentials,
  readProfile,
  saveCredentials,
  saveProfile,
  type Session,
  trustOf,
} from '../connection/profiles.ts';
import { serverMentioned, trustGiven, userAgent } from '../connection/server.ts';
import { renewed, sessionOf } from '../connection/session.ts';

export function defineLogin(command: Command): void {
  withServerOptions(command)
    .option('--tenant <name>', 'the tenant that commands mean when they name none', named)
    .option('--email <address>', 'who logs in, where the server keeps the accounts', named)
    .option('--password-stdin', 'read the password from standard input', false)
    .option('--scope <words>', 'what an identity provider is asked for', defaultScope)
    .option('--audience <name>', 'what it is to make the access token for', named)
    .option('--json', 'print JSON', false)
    .addHelpText(
      'after',
      `
A server that keeps the accounts itself is told address and password. One that leaves them to an identity provider
(OpenID Connect) sends you there: open the address that is shown, on any device, and type the code. With --api-key-file a
key is kept instead, and --tenant says whose it is. Nothing is kept before the server took it.

A server that has a certificate of its own authority is known by --ca FILE, or by --fingerprint with the SHA-256 that
"forensics serve" tells at its first start. The profile remembers it. Its name is --profile, or else the host.
An identity provider's certificate is checked against the authorities of the system, and against --ca.

Examples:
  $ forensics login --url https://forensics.example:8443 --fingerprint 9B:60:...:A1 --profile lab
  $ forensics login --profile lab
  $ forensics login --url https://forensics.example --api-key-file ci.key --tenant acme --profile ci
  $ forensics analyze *.jpg --profile lab --tenant acme`,
    )
    .action(async (_own: unknown, called: Command) => {
      await login(called.optsWithGlobals<LoginOptions>());
    });
}

// What OpenID Connect Core 1.0 knows; offline_access is what makes most providers give a refresh token.
const defaultScope = 'openid email profile offline_access';

/** `forensics logout`: ends the session on its server and deletes it here. */
export function defineLogout(command: Command): void {
  command
    .option('--profile <name>', 'the profile to log out of (or FORENSICS_PROFILE)', named)
    .addHelpText(
      'after',
      `
The server ends the sessions of the person on all devices. An API key is only forgotten: it stays valid until it ends or
"forensics keys revoke" ends it. The profile itself stays, for the next login; "forensics profile remove" forgets it too,
without a word to the server.

Examples:
  $ forensics logout --profile lab
  $ forensics logout --profile ci --quiet`,
    )
    .action(async (_own: unknown, called: Command) => {
      await logout(called.optsWithGlobals<LogoutOptions>());
    });
}

/** `forensics login` stores nothing until the server has accepted the credentials. */
interface LoginOptions extends ServerOptions {
  readonly tenant?: string;
  readonly email?: string;
  readonly passwordStdin: boolean;
  readonly scope: string;
  readonly audience?: string;
  readonly json: boolean;
}

/** What a login came to. */
interface LoggedIn {
  readonly credentials: Credentials;
  /** Null when there is none, or several to choose from. */
  readonly tenant: string | null;
}

async function login(options: LoginOptions): Promise<void> {
  const asked = await profileToMake(options);
  const { url } = asked;
  const api = await openApi({ url, trust: trustOf(asked), userAgent: userAgent() });
  try {
    log(`Logging in to the server ${api.url.origin}`);
    const { credentials, tenant } = await logIn(api, asked, options);
    const profile = { ...asked, url: api.url.origin, ...(tenant === null ? {} : { tenant }) };
    await keep(profile, credentials);
    printLogin(profile, credentials, options);
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

/** The credentials last: without its profile they cannot be found. */
async function keep(profile: Profile, credentials: Credentials): Promise<void> {
  await alone(profile.name, async () => {
    saveProfile(profile);
    saveCredentials(profile.name, credentials);
  });
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

/** @throws {ForensicsError} `usage` when no tenant is named; the error of the server for this key. */
async function proveKey(api: Api, file: string, tenant: string | undefined): Promise<LoggedIn> {
  if (tenant === undefined) throw usageError('Name the tenant of the key: --tenant NAME.');
  const apiKey = await apiKeyFrom(file);
  await checkAccess(api, tenant, { authorization: `ApiKey ${apiKey}` });
  return { credentials: { kind: 'apiKey', apiKey }, tenant };
}

/** @throws {ForensicsError} `usage` where there is no terminal, `cancelled`. */
async function passwordOf({
  email: given,
  passwordStdin,
}: Pick<LoginOptions, 'email' | 'passwordStdin'>): Promise<{ email: string; password: string }> {
  if (passwordStdin) {
    if (given === undefined) throw usageError('--password-stdin needs --email ADDRESS.');
    return { email: given, password: await firstLineOf('-') };
  }
  if (!canAsk()) {
    throw usageError(
      'There is no terminal to ask for the password. Give --email and --password-stdin, or --api-key-file and --tenant.',
    );
  }
  const email = given ?? (await askLine({ message: 'E-mail address:', fault: faultOf }));
  return { email, password: await askHidden('Password: ') };
}

function faultOf(answer: string): string | null {
  return answer === '' ? 'Enter the address of your account.' : null;
}

/** Logs in with a password, or through an identity provider. */
interface PersonOptions extends LoginOptions {
  readonly asked: Profile;
}

type Answer = Static<typeof loginAnswer>['data'];
type Elsewhere = Exclude<Answer, { accessToken: string }>;

async function logInAsPerson(api: Api, options: PersonOptions): Promise<LoggedIn> {
  const where = await whereToLogIn(api);
  const tokens = where === null ? await byPassword(api, options) : await byDevice(where, options);
  const at = Date.now();
  const authorization = `Bearer ${tokens.accessToken}`;
  const { data: holder } = await api.ask(
    { method: 'POST', path: '/v1/auth/info', authorization },
    infoAnswer,
  );
  return {
    credentials: sessionOf(tokens, { email: holder.email, at }),
    tenant: tenantAmong(holder.tenants, options.asked.tenant),
  };
}

/** Null where the server keeps the accounts: then it misses address and password, and counts no failed login. */
async function whereToLogIn(api: Api): Promise<Elsewhere | null> {
  try {
    const data = await loginWith(api, {});
    return 'accessToken' in data ? null : data;
  } catch (error) {
    if (error instanceof ForensicsError && error.code === 'invalid_request') return null;
    throw error;
  }
}

async function byPassword(api: Api, options: PersonOptions): Promise<Tokens> {
  const data = await loginWith(api, await passwordOf(options));
  if ('accessToken' in data) return data;
  throw usageError('This server no longer accepts passwords; log in again.');
}

async function loginWith(api: Api, body: object): Promise<Answer> {
  const asked = { method: 'POST', path: '/v1/auth/login', authorization: null } as const;
  return (await api.ask({ ...asked, body }, loginAnswer)).data;
}

async function byDevice(where: Elsewhere, options: PersonOptions): Promise<Tokens> {
  const { issuer, clientId, deviceAuthorizationEndpoint } = where;
  if (options.passwordStdin) {
    throw usageError(`This server does not accept passwords. Log in at ${issuer}.`);
  }
  if (deviceAuthorizationEndpoint === null) {
    throw new ForensicsError(
      'not_offered',
      `People of this server log in at ${issuer}, which offers no login with a device code; log in with an API key: --api-key-file.`,
    );
  }
  const { scope, audience = null, asked } = options;
  const dispatcher = connectionsUnder({ by: 'system', ...(asked.ca && { also: asked.ca }) });
  try {
    return await logInByDevice({ issuer, clientId, scope, audience, dispatcher, show });
  } finally {
    await dispatcher.close();
  }
}

/** With `--quiet` too: it is a question, and nothing goes on without it. */
function show({ url, urlWithCode, code, minutes }: DevicePrompt): void {
  const lines = [`Open ${url} and type the code ${code} within ${minutes} minutes.`];
  if (urlWithCode !== null) lines.push(`Or open ${urlWithCode}`);
  for (const line of lines) person.output.write(`${printable(line)}\n`);
}

/** @throws {ForensicsError} `forbidden` when the person may not act for the tenant that was named. */
function tenantAmong(tenants: readonly string[], wanted: string | undefined): string | null {
  if (wanted === undefined) return tenants.length === 1 ? tenants[0]! : null;
  if (tenants.includes(wanted)) return wanted;
  throw new ForensicsError(
    'forbidden',
    `You may not act for the tenant "${wanted}"; ${tenants.length === 0 ? 'you have none' : `yours are ${tenants.join(', ')}`}.`,
  );
}

/**
 * The profile as it will be when the login succeeds: what an earlier login stored stays, unless an option changes it.
 *
 * @throws {ForensicsError} `usage`, `not_found` for a name alone that is unknown, `conflict` for the name of another server.
 */
async function profileToMake(options: LoginOptions): Promise<Profile> {
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

interface LogoutOptions {
  readonly profile?: string;
}

/** @throws {ForensicsError} and forgets nothing when the server cannot be reached. */
async function logout(options: LogoutOptions): Promise<void> {
  const { profile: name } = serverMentioned(options);
  if (name === undefined) throw usageError('Name the profile to log out of: --profile NAME.');
  const profile = profileNamed(name);
  const credentials = readCredentials(name);
  if (credentials === null) return log(`The profile "${name}" is not logged in.`);
  if (credentials.kind === 'session') await endSession(profile, credentials);
  await alone(name, async () => forgetCredentials(name));
  log(
    credentials.kind === 'session'
      ? `Logged out of ${profile.url}.`
      : `The API key was deleted here but stays valid. Run "forensics keys revoke" to end it.`,
  );
}

async function endSession(profile: Profile, session: Session): Promise<void> {
  // Some providers give none; the access token ends by itself, and soon.
  if (session.refreshToken === '') return;
  const { url } = profile;
  const api = await openApi({ url, trust: trustOf(profile), userAgent: userAgent() });
  try {
    await revokeWithGoodTokens(api, profile.name, session);
  } catch (error) {
    if (!isOver(error)) throw error;
    log('The session had already ended.');
  } finally {
    await api.close();
  }
}

/** An id token lives shorter than its session: then a new one proves whose session it is. */
async function revokeWithGoodTokens(api: Api, name: string, session: Session): Promise<void> {
  try {
    await revoke(api, session);
  } catch (error) {
    if (!isOver(error)) throw error;
    const isDue = ({ refreshToken }: Session) => refreshToken === session.refreshToken;
    await revoke(api, await renewed(name, { api, now: Date.now, isDue }));
  }
}

async function revoke(api: Api, { idToken, refreshToken }: Session): Promise<void> {
  const asked = { method: 'POST', path: '/v1/auth/revoke', authorization: null } as const;
  await api.ask({ ...asked, body: { idToken, refreshToken } }, told);
}

function isOver(error: unknown): boolean {
  return error instanceof ForensicsError && error.code === 'unauthenticated';
}
