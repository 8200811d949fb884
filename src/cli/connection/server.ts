/** The server that options, environment or a profile name, and the way to it. The choice is logged on standard error. */

import { X509Certificate } from 'node:crypto';
import type { Command } from 'commander';
import type { Api, Authorize } from '../client/api.ts';
import { openApi, type Trust } from '../client/connect.ts';
import { packageVersion } from '../../version.ts';
import { usageError } from '../errors.ts';
import { fingerprintIn, isRemote, type ServerOptions, type ServiceOptions } from '../options.ts';
import { readText } from '../input.ts';
import { log } from '../output/terminal.ts';
import {
  apiKeyFrom,
  apiKeyOfEnvironment,
  type Profile,
  profileNamed,
  readCredentials,
  trustOf,
} from './profiles.ts';
import { authorizeBySession } from './session.ts';

/** A tenant is needed, and has to be named but where the profile of the server names one. */
export async function nameTenant(command: Command): Promise<void> {
  const options = command.optsWithGlobals<ServiceOptions & { readonly tenant?: string }>();
  if (options.tenant !== undefined) return;
  if (!isRemote(options)) command.error(`error: required option '--tenant <name>' not specified`);
  command.setOptionValue('tenant', tenantMeant(options));
}

/** Opens the way to the server for one act and closes it again, also when the act fails. */
export async function withApi<T>(
  options: ServerOptions,
  act: (api: Api) => Promise<T>,
): Promise<T> {
  const api = await openServer(options);
  try {
    return await act(api);
  } finally {
    await api.close();
  }
}

/** The server that a command uses, and how to verify it: flags first, then the environment. */
interface Server {
  readonly url: string;
  readonly trust: Trust;
  /** Null for an address that stands for itself. */
  readonly profile: Profile | null;
}

/** @throws {ForensicsError} `usage`, `not_found` for an unknown profile, `file_not_found`, `file_not_readable`. */
export async function placeNamed(options: ServerOptions): Promise<Server> {
  const { url, profile: name } = serverNamed(options);
  const given = await trustGiven(options);
  if (name === undefined) return { url, trust: trustOf(given ?? {}), profile: null };
  const profile = profileNamed(name);
  return { url: profile.url, trust: trustOf(given ?? profile), profile };
}

/** One of the two. A profile's credentials are for its own server: another address beside it is a mistake. */
export function serverNamed(options: Pick<ServerOptions, 'url' | 'profile'>) {
  const isByFlag = options.url !== undefined || options.profile !== undefined;
  const { url, profile } = isByFlag ? options : serverOfEnvironment();
  if (url !== undefined && profile !== undefined) {
    const both = isByFlag ? '--url and --profile' : 'FORENSICS_URL and FORENSICS_PROFILE';
    throw usageError(`${both} each name a server; leave one of them out.`);
  }
  if (profile !== undefined) return { profile };
  if (url !== undefined) return { url };
  throw usageError('Name the server: --url https://host:port, or --profile NAME.');
}

/** What a login makes one of: an address, and the name that it gets. */
export function serverMentioned(options: Pick<ServerOptions, 'url' | 'profile'>) {
  return { ...serverOfEnvironment(), ...options };
}

function serverOfEnvironment(): Pick<ServerOptions, 'url' | 'profile'> {
  const { FORENSICS_URL: url = '', FORENSICS_PROFILE: profile = '' } = process.env;
  // An empty variable counts as not set, as everywhere.
  return { ...(url !== '' && { url }), ...(profile !== '' && { profile }) };
}

/** Null when neither was given. @throws {ForensicsError} `usage`, `file_not_found`, `file_not_readable`. */
export async function trustGiven({ ca, fingerprint }: Pick<ServerOptions, 'ca' | 'fingerprint'>) {
  if (ca !== undefined && fingerprint !== undefined) {
    throw usageError('--ca and --fingerprint are two ways to know the server; choose one.');
  }
  if (ca !== undefined) return { ca: await certificatesIn(ca) };
  return fingerprint === undefined ? null : { fingerprint: fingerprintIn(fingerprint) };
}

async function certificatesIn(file: string): Promise<string> {
  const pem = await readText(file);
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length > 0 && blocks.every(isCertificate)) return `${blocks.join('\n')}\n`;
  throw usageError(
    `--ca must be a file with certificates in PEM ("-----BEGIN CERTIFICATE-----"), such as tls/ca.pem in the data folder of the server.`,
  );
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

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

/** Connects to the server that options, environment or a profile name, with its credentials. */
export async function openServer(options: ServerOptions): Promise<Api> {
  const { url, trust, profile } = await placeNamed(options);
  const authorize = await authorizeBy(options, profile);
  const api = await openApi({ url, trust, authorize, userAgent: userAgent() });
  const suffix = profile === null ? '' : ` (profile ${profile.name})`;
  log(`Acting on the server ${api.url.origin}${suffix}`);
  return api;
}

export function userAgent(): string {
  return `forensics/${packageVersion()}`;
}

/** A flag beats the environment: also the flag that names a profile, whose key is for its own server. */
async function authorizeBy(options: ServerOptions, profile: Profile | null): Promise<Authorize> {
  const { apiKeyFile } = options;
  if (apiKeyFile !== undefined) return authorizeByKey(await apiKeyFrom(apiKeyFile));
  const ofEnvironment = apiKeyOfEnvironment();
  const stored = profile === null ? null : readCredentials(profile.name);
  if (ofEnvironment !== null && (options.profile === undefined || stored === null)) {
    return authorizeByKey(ofEnvironment);
  }
  if (profile === null || stored === null) return async () => null;
  return stored.kind === 'apiKey'
    ? authorizeByKey(stored.apiKey)
    : authorizeBySession(profile.name, Date.now);
}

function authorizeByKey(key: string): Authorize {
  return async () => `ApiKey ${key}`;
}
