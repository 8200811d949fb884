/**
 * The servers that this user knows by name. A profile says where a server is and how it is known again; what proves who
 * asks lies apart from it, in `credentials.ts`. A file each, so that two commands never overwrite each other's.
 */

import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { Trust } from '../../client/trust.ts';
import { configFolder } from '../../config.ts';
import { ForensicsError } from '../../errors.ts';
import { usageError } from '../failure.ts';
import { readOwnJson, writeOwnJson } from './own-json.ts';

const kept = Type.Object({
  url: Type.String(),
  /** PEM. */
  ca: Type.Optional(Type.String()),
  fingerprint: Type.Optional(Type.String({ pattern: '^[0-9a-f]{64}$' })),
  /** What `--tenant` means when it is left out. */
  tenant: Type.Optional(Type.String()),
});

export interface Profile extends Static<typeof kept> {
  readonly name: string;
}

/** By name. */
export function listProfiles(): readonly Profile[] {
  return namesIn(folder()).flatMap((name) => readProfile(name) ?? []);
}

/** @throws {ForensicsError} `usage`, `not_found`, `config_invalid`. */
export function profileNamed(name: string): Profile {
  const profile = readProfile(name);
  if (profile !== null) return profile;
  throw new ForensicsError(
    'not_found',
    `There is no profile "${name}"; make it with "forensics login --profile ${name} --url https://...", or see "forensics profile list".`,
  );
}

/** Null when there is none. @throws {ForensicsError} `usage`, `config_invalid`. */
export function readProfile(name: string): Profile | null {
  const found = readOwnJson(fileOf(name), kept);
  return found === null ? null : { name, ...found };
}

/** @throws {ForensicsError} `output_not_writable`. */
export function saveProfile({ name, ...profile }: Profile): void {
  writeOwnJson(fileOf(name), profile);
}

export function removeProfile(name: string): void {
  rmSync(fileOf(name), { force: true });
}

export function trustOf({ ca, fingerprint }: Pick<Profile, 'ca' | 'fingerprint'>): Trust {
  if (ca !== undefined) return { by: 'authority', pem: ca };
  return fingerprint === undefined ? { by: 'system' } : { by: 'fingerprint', sha256: fingerprint };
}

/** A name is a file's name on every system, so capitals are none. @throws {ForensicsError} `usage`. */
export function checkProfileName(name: string): string {
  if (/^[a-z0-9][a-z0-9._-]{0,63}$/.test(name)) return name;
  throw usageError(
    'The name of a profile has 1 to 64 small letters, digits, ".", "_" and "-", and begins with a letter or digit.',
  );
}

function folder(): string {
  return join(configFolder(), 'profiles');
}

function fileOf(name: string): string {
  return join(folder(), `${checkProfileName(name)}.json`);
}

function namesIn(path: string): readonly string[] {
  // Nobody has logged in yet.
  if (!existsSync(path)) return [];
  const files = readdirSync(path).filter((file) => /^[a-z0-9][a-z0-9._-]*\.json$/.test(file));
  return files.map((file) => file.replace(/\.json$/, '')).toSorted();
}
