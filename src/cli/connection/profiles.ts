/**
 * The servers that this user has saved. A profile contains a server's address and how to verify it; its API key is in a
 * separate file. There is one file per profile, so that two commands never overwrite each other's.
 */

import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { configFolder } from '../../contract/config.ts';
import { ForensicsError } from '../../errors.ts';
import { makePrivateFolder, replaceFile } from '../../ports/files/files.ts';
import { log, readText, usageError } from '../output/terminal.ts';

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

/** Sorted by name. */
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
  throw new ForensicsError(
    'not_found',
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

/** Removes a profile with its API key. */
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
  const message = `${file} is damaged or cannot be read; remove it, and log in again.`;
  throw new ForensicsError('config_invalid', message);
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

/**
 * Reads an API key from a file or (`-`) standard input; never from an option, which every user of the machine can see.
 *
 * @throws {ForensicsError} `usage`, `file_not_found`, `file_not_readable`.
 */
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
