/** Which server is meant, and how it is known again: flags first, then the environment. */

import { X509Certificate } from 'node:crypto';
import type { Trust } from '../../client/connect.ts';
import { fingerprintIn } from '../commands/verify.ts';
import { usageError } from '../errors.ts';
import { readText } from '../output/files.ts';
import type { ServerOptions } from './options.ts';
import { type Profile, profileNamed, trustOf } from './profiles.ts';

export interface Place {
  readonly url: string;
  readonly trust: Trust;
  /** Null for an address that stands for itself. */
  readonly profile: Profile | null;
}

/** @throws {ForensicsError} `usage`, `not_found` for an unknown profile, `file_not_found`, `file_not_readable`. */
export async function placeNamed(options: ServerOptions): Promise<Place> {
  const { url, profile: name } = serverNamed(options);
  const given = await trustGiven(options);
  if (name === undefined) return { url, trust: trustOf(given ?? {}), profile: null };
  const profile = profileNamed(name);
  return { url: profile.url, trust: trustOf(given ?? profile), profile };
}

/** One of the two. A profile's credentials are for its own server: another address beside it is a slip. */
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

/** Null when nothing was said. @throws {ForensicsError} `usage`, `file_not_found`, `file_not_readable`. */
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
