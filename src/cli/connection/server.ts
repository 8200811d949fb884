/** Chooses and logs a command's server and credentials, and keeps the servers that this user has saved. */

import { X509Certificate } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { type Api, openApi } from '../client/api.ts';
import { messageResponse } from '../../contract/common.ts';
import { configFolder } from '../../contract/config.ts';
import { keysResponse, newKeyResponse } from '../../contract/keys.ts';
import {
  ForensicsError,
  configInvalid,
  notFound,
  serverUnexpected,
  usageError,
} from '../../contract/errors.ts';
import { makePrivateFolder, replaceFile } from '../../ports/files/files.ts';
import { packageVersion } from '../../version.ts';
import { isRemote, type ServerOptions, type ServiceOptions } from '../options.ts';
import { log, readText } from '../output/terminal.ts';
import type { KeyActs } from './local.ts';

/** Fills in the tenant from the profile. Ends the command if neither an option nor the profile specifies one. */
export async function nameTenant(command: Command): Promise<void> {
  const options = command.optsWithGlobals<ServiceOptions & { readonly tenant?: string }>();
  if (options.tenant !== undefined) return;
  if (!isRemote(options)) command.error(`error: required option '--tenant <name>' not specified`);
  command.setOptionValue('tenant', requireTenant(options));
}

export async function withKeys<T>(
  options: ServiceOptions,
  act: (keys: KeyActs) => Promise<T>,
): Promise<T> {
  if (isRemote(options)) return withApi(options, (api) => act(createRemoteKeys(api)));
  // Loaded only here, because a command on a server needs no database.
  const { createLocalKeys, withLocalCore } = await import('./local.ts');
  return withLocalCore(options, (core) => act(createLocalKeys(core)));
}

function createRemoteKeys(api: Api): KeyActs {
  const path = '/v1/auth/api';
  const create = async (body: object) =>
    (await api.request({ method: 'POST', path, body }, newKeyResponse)).data;

  return {
    async list(tenantName, bySecret) {
      const request = { method: 'GET', path, query: { tenantName }, ...withKey(bySecret) } as const;
      return (await api.request(request, keysResponse)).data;
    },
    create: ({ tenant: tenantName, ...key }) => create({ tenantName, ...key }),
    async rotate({ tenant: tenantName, which: replaces, expiresAt, graceMs }) {
      const graceSeconds = Math.floor(graceMs / 1000);
      const created = await create({ tenantName, replaces, expiresAt, graceSeconds });
      const { replaced, earlier = [], ...key } = created;
      if (replaced !== undefined) return { key, replaced, earlier };
      throw serverUnexpected('The server did not say which key it replaced.');
    },
    async revoke({ tenant: tenantName, uuid, bySecret }) {
      const query = { tenantName, uuid };
      await api.request({ method: 'DELETE', path, query, ...withKey(bySecret) }, messageResponse);
    },
  };
}

function withKey(secret: string | undefined) {
  return secret === undefined ? {} : { authorization: `ApiKey ${secret}` };
}

export async function withApi<T>(options: ServerOptions, act: (api: Api) => Promise<T>) {
  const api = await openServer(options);
  try {
    return await act(api);
  } finally {
    await api.close();
  }
}

/** Options take precedence over the environment. A profile's credentials are for its own server only. */
export function serverNamed(options: Pick<ServerOptions, 'url' | 'profile'>) {
  const isByFlag = options.url !== undefined || options.profile !== undefined;
  const { url, profile } = isByFlag ? options : serverOfEnvironment();
  if (url !== undefined && profile !== undefined) {
    const both = isByFlag ? '--url and --profile' : 'FORENSICS_URL and FORENSICS_PROFILE';
    throw usageError(`${both} each name a server; leave one of them out.`);
  }
  if (profile !== undefined) return { profile };
  if (url !== undefined) return { url };
  throw usageError('Specify the server with --url https://host:port or --profile NAME.');
}

/** The server named for a login, which needs both an address and the name to save it under. */
export function serverMentioned(options: Pick<ServerOptions, 'url' | 'profile'>) {
  return { ...serverOfEnvironment(), ...options };
}

function serverOfEnvironment(): Pick<ServerOptions, 'url' | 'profile'> {
  const { FORENSICS_URL: url = '', FORENSICS_PROFILE: profile = '' } = process.env;
  // An empty variable counts as unset, as everywhere.
  return { ...(url !== '' && { url }), ...(profile !== '' && { profile }) };
}

/** The certificates in the file of `--ca`. @throws {ForensicsError} `usage`, `file_not_found`, `file_not_readable`. */
export async function readAuthority({ ca: file }: Pick<ServerOptions, 'ca'>) {
  if (file === undefined) return undefined;
  const pem = await readText(file);
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length > 0 && blocks.every(isCertificate)) return `${blocks.join('\n')}\n`;
  throw usageError(
    `--ca must name a file with PEM certificates ("-----BEGIN CERTIFICATE-----"), such as tls/ca.pem from the server's data folder.`,
  );
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

/** From the option, otherwise from the profile. @throws {ForensicsError} `usage` if neither specifies one. */
export function requireTenant(options: ServerOptions & { readonly tenant?: string }): string {
  const { profile } = serverNamed(options);
  const tenant = options.tenant ?? (profile && profileNamed(profile).tenant);
  if (tenant !== undefined) return tenant;
  throw usageError('On a server, everything belongs to a tenant; add --tenant NAME.');
}

export async function openServer(options: ServerOptions): Promise<Api> {
  const { url, profile } = serverNamed(options);
  const given = await readAuthority(options);
  const server: Partial<Profile> & { readonly url: string } =
    profile === undefined ? { url } : profileNamed(profile);
  const apiKey = await chooseKey(options, profile);
  const authorization = apiKey === null ? null : `ApiKey ${apiKey}`;
  const ca = given ?? server.ca ?? null;
  const api = openApi({ url: server.url, ca, authorization, userAgent: userAgent() });
  const suffix = profile === undefined ? '' : ` (profile ${profile})`;
  log(`Acting on the server ${api.url.origin}${suffix}`);
  return api;
}

export function userAgent(): string {
  return `forensics/${packageVersion()}`;
}

/** Options, including --profile, take precedence over the environment, because its key is for its own server. */
async function chooseKey(
  { apiKeyFile, profile: named }: ServerOptions,
  profile: string | undefined,
): Promise<string | null> {
  if (apiKeyFile !== undefined) return apiKeyFrom(apiKeyFile);
  const ofEnvironment = apiKeyOfEnvironment();
  const stored = profile === undefined ? null : readApiKey(profile);
  return named === undefined ? (ofEnvironment ?? stored) : (stored ?? ofEnvironment);
}

// Saved servers: one file each, so that two commands never overwrite each other's; the API key is apart.

const profileFields = Type.Object(
  {
    url: Type.String(),
    /** In PEM format. */
    ca: Type.Optional(Type.String()),
    /** Default for `--tenant`. */
    tenant: Type.Optional(Type.String()),
  },
  // A member that this version does not know may restrict which server is trusted.
  { additionalProperties: false },
);

export interface Profile extends Static<typeof profileFields> {
  readonly name: string;
}

export function listProfiles(): readonly Profile[] {
  // Without the folder, nobody has logged in yet.
  const files = existsSync(folder()) ? readdirSync(folder()) : [];
  const names = files.flatMap((file) => /^([a-z0-9][a-z0-9._-]*)\.json$/.exec(file)?.[1] ?? []);
  return names.toSorted().flatMap((name) => readProfile(name) ?? []);
}

/** @throws {ForensicsError} `usage`, `not_found`, `config_invalid`. */
export function profileNamed(name: string): Profile {
  const profile = readProfile(name);
  if (profile !== null) return profile;
  throw notFound(
    `There is no profile "${name}"; create it with "forensics login --profile ${name} --url https://...", or see "forensics profile list".`,
  );
}

/** Returns null if there is none. @throws {ForensicsError} `usage`, `config_invalid`. */
export function readProfile(name: string): Profile | null {
  const found = readOwnJson(profileFile(name), profileFields);
  return found === null ? null : { name, ...found };
}

/** @throws {ForensicsError} `output_not_writable`. */
export function saveProfile({ name, ...profile }: Profile): void {
  writeOwnJson(profileFile(name), profile);
}

export function removeProfile(name: string): void {
  rmSync(credentialsFile(name), { force: true });
  rmSync(profileFile(name), { force: true });
}

/** The name is also a file name, and some file systems ignore case. @throws {ForensicsError} `usage`. */
export function checkProfileName(name: string): string {
  if (/^[a-z0-9][a-z0-9._-]{0,63}$/.test(name)) return name;
  throw usageError(
    'A profile name must have 1 to 64 lower-case letters, digits, ".", "_" or "-", and begin with a letter or digit.',
  );
}

function folder(): string {
  return join(configFolder(), 'profiles');
}

function profileFile(name: string): string {
  return join(folder(), `${checkProfileName(name)}.json`);
}

/** Reads a small JSON file that only this user can read; returns null if there is none. */
function readOwnJson<T extends TSchema>(file: string, schema: T): Static<T> | null {
  try {
    const found: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (Value.Check(schema, found)) return found;
  } catch {
    // The cause is left out, because the parser's message quotes the text, which may contain secrets.
    if (!existsSync(file)) return null;
  }
  throw configInvalid(`${file} is damaged or cannot be read; remove it, and log in again.`);
}

function writeOwnJson(file: string, value: unknown): void {
  try {
    makePrivateFolder(dirname(file));
    replaceFile(file, `${JSON.stringify(value, null, 2)}\n`);
  } catch (error) {
    const message = `${file} cannot be written; check the permissions of its folder, or set XDG_CONFIG_HOME.`;
    throw new ForensicsError('output_not_writable', message, { cause: error });
  }
}

const credentials = Type.Object({ kind: Type.Literal('apiKey'), apiKey: Type.String() });

/** The API key of a profile, which is never printed; null if there is none. @throws {ForensicsError} `config_invalid`. */
export function readApiKey(profile: string): string | null {
  return readOwnJson(credentialsFile(profile), credentials)?.apiKey ?? null;
}

/** @throws {ForensicsError} `output_not_writable`. */
export function saveApiKey(profile: string, apiKey: string): void {
  writeOwnJson(credentialsFile(profile), { kind: 'apiKey', apiKey });
}

function credentialsFile(profile: string): string {
  return join(configFolder(), 'credentials', `${checkProfileName(profile)}.json`);
}

/** Never from an option, which every user can see. @throws {ForensicsError} `usage`; as `readText`. */
export async function apiKeyFrom(file: string): Promise<string> {
  const key = checked(await readText(file), 'The API key file');
  // This is only a warning, because secrets in a container are often readable by every user inside it.
  const isOpen =
    file !== '-' && process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0;
  if (isOpen) log(`Other users of this machine can read ${file}; run chmod 600.`);
  return key;
}

/** Returns null if the variable is not set. @throws {ForensicsError} `usage`. */
export function apiKeyOfEnvironment(): string | null {
  const { FORENSICS_API_KEY = '' } = process.env;
  return FORENSICS_API_KEY === '' ? null : checked(FORENSICS_API_KEY, 'FORENSICS_API_KEY');
}

/** Rejects anything that is not an API key, because it may be another secret and must not be sent anywhere. */
function checked(text: string, where: string): string {
  const key = text.trim();
  if (/^sk-[\w-]{1,500}$/.test(key)) return key;
  throw usageError(`${where} must contain only an API key, which begins with "sk-".`);
}
