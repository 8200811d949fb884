/**
 * The servers that this user has saved. A profile contains a server's address and how to verify it; its credentials are
 * in a separate file. There is one file per profile, so that two commands never overwrite each other's.
 */

import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Trust } from '../client/connect.ts';
import { configFolder } from '../../contract/config.ts';
import { ForensicsError, hasCode } from '../../errors.ts';
import { makePrivateFolder, replaceFile } from '../../ports/files/atomic-write.ts';
import { takeLock } from '../../ports/files/process-lock.ts';
import { usageError } from '../errors.ts';
import { readText } from '../input.ts';
import { log } from '../output/terminal.ts';
import type { Api, Authorize } from '../client/api.ts';
import { refreshResponse, type TokenSet } from '../../contract/auth.ts';

const profileFields = Type.Object({
  url: Type.String(),
  /** In PEM format. */
  ca: Type.Optional(Type.String()),
  fingerprint: Type.Optional(Type.String({ pattern: '^[0-9a-f]{64}$' })),
  /** Default for `--tenant`. */
  tenant: Type.Optional(Type.String()),
});

export interface Profile extends Static<typeof profileFields> {
  readonly name: string;
}

/** Sorted by name. */
export function listProfiles(): readonly Profile[] {
  return namesIn(folder()).flatMap((name) => readProfile(name) ?? []);
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

export function removeProfile(name: string): void {
  rmSync(profileFile(name), { force: true });
}

export function profileTrust({ ca, fingerprint }: Pick<Profile, 'ca' | 'fingerprint'>): Trust {
  if (ca !== undefined) return { by: 'authority', pem: ca };
  return fingerprint === undefined ? { by: 'system' } : { by: 'fingerprint', sha256: fingerprint };
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

function namesIn(path: string): readonly string[] {
  // Nobody has logged in yet.
  if (!existsSync(path)) return [];
  const files = readdirSync(path).filter((file) => /^[a-z0-9][a-z0-9._-]*\.json$/.test(file));
  return files.map((file) => file.replace(/\.json$/, '')).toSorted();
}

/** Reads a small JSON file that only this user can read; returns null if there is none. */
function readOwnJson<T extends TSchema>(file: string, schema: T): Static<T> | null {
  const found = parsed(file);
  if (found === undefined) return null;
  if (Value.Check(schema, found)) return found;
  throw unreadable(file);
}

function writeOwnJson(file: string, value: unknown): void {
  intoOwnFolder(file, () => replaceFile(file, `${JSON.stringify(value, null, 2)}\n`));
}

/** Runs `act`, which creates a file in this user's folder. */
function intoOwnFolder<T>(file: string, act: () => T): T {
  try {
    makePrivateFolder(dirname(file));
    return act();
  } catch (error) {
    const message = `${file} cannot be written; check the permissions of its folder, or set XDG_CONFIG_HOME.`;
    throw new ForensicsError('output_not_writable', message, { cause: error });
  }
}

function parsed(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // The cause is left out, because the parser's message quotes the text, which may contain secrets.
    if (!existsSync(file)) return undefined;
    throw unreadable(file);
  }
}

function unreadable(file: string): ForensicsError {
  return new ForensicsError(
    'config_invalid',
    `${file} is damaged or cannot be read; remove it, and log in again.`,
  );
}

// Credentials, one file per profile. They are never printed.

const apiKey = Type.Object({ kind: Type.Literal('apiKey'), apiKey: Type.String() });
const session = Type.Object({
  kind: Type.Literal('session'),
  email: Type.String(),
  accessToken: Type.String(),
  idToken: Type.String(),
  refreshToken: Type.String(),
  /** When the access token expires, in milliseconds of Unix time. */
  expiresAt: Type.Number(),
});
const credentials = Type.Union([apiKey, session]);

export type Credentials = Static<typeof credentials>;
export type Session = Static<typeof session>;

/** Returns null if there are none. @throws {ForensicsError} `config_invalid`. */
export function readCredentials(profile: string): Credentials | null {
  return readOwnJson(credentialsFile(profile), credentials);
}

/** @throws {ForensicsError} `output_not_writable`. */
export function saveCredentials(profile: string, proof: Credentials): void {
  writeOwnJson(credentialsFile(profile), proof);
}

export function removeCredentials(profile: string): void {
  rmSync(credentialsFile(profile), { force: true });
}

const pauseMs = 50;
const lockTimeoutMs = 60_000;

/**
 * Locks the credentials of a profile against other processes while `act` changes them.
 *
 * @throws {ForensicsError} `conflict` if another process holds the lock for a minute.
 */
export async function withProfileLock<T>(profile: string, act: () => Promise<T>): Promise<T> {
  const release = await lock(`${credentialsFile(profile)}.lock`);
  try {
    return await act();
  } finally {
    release();
  }
}

async function lock(file: string): Promise<() => void> {
  const begun = performance.now();
  while (performance.now() - begun < lockTimeoutMs) {
    const release = intoOwnFolder(file, () => takeLock(file));
    if (release !== null) return release;
    await wait(pauseMs);
  }
  throw new ForensicsError(
    'conflict',
    'Another command has been renewing the session of this profile for a minute; stop it, and try again.',
  );
}

function credentialsFile(profile: string): string {
  return join(configFolder(), 'credentials', `${checkProfileName(profile)}.json`);
}

/**
 * Reads an API key from a file or standard input; never from an option, which every user of the machine can see.
 *
 * @param file - `-` is standard input.
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

// Keeps a login alive by refreshing the access token before it expires. A refresh token works only
// once, and using it twice ends the session, so only one process may send it, in one request.

// The token must still be valid when a request that starts now arrives.
const marginMs = 60_000;

/** @param now - milliseconds of Unix time. */
export function authorizeBySession(profile: string, now: () => number): Authorize {
  let current: Session | null = null;
  let renewal: Promise<Session> | null = null;
  return async (api) => {
    current ??= sessionIn(readCredentials(profile), profile);
    if (isDue(current, now())) {
      renewal ??= renewSession(profile, { api, now, isDue }).finally(() => (renewal = null));
      current = await renewal;
    }
    return `Bearer ${current.accessToken}`;
  };
}

interface Renewal {
  readonly api: Pick<Api, 'request'>;
  readonly now: () => number;
  readonly isDue: (session: Session, at: number) => boolean;
}

/** The stored session, refreshed first if due. @throws {ForensicsError} `unauthenticated` if it has ended. */
export async function renewSession(
  profile: string,
  { api, now, isDue: isWanted }: Renewal,
): Promise<Session> {
  return withProfileLock(profile, async () => {
    // Another process may have refreshed it first.
    const before = sessionIn(readCredentials(profile), profile);
    if (!isWanted(before, now())) return before;
    if (before.refreshToken === '') throw loginAgain(profile);
    const request = {
      method: 'POST',
      path: '/v1/auth/refresh',
      authorization: null,
      body: { refreshToken: before.refreshToken },
    } as const;
    const { data } = await api.request(request, refreshResponse).catch((error: unknown) => {
      throw hasCode(error, 'unauthenticated') ? loginAgain(profile) : error;
    });
    const after = createSession(data, { email: before.email, at: now(), idToken: before.idToken });
    saveCredentials(profile, after);
    return after;
  });
}

/** @param how.idToken - the earlier ID token, which remains in use if no new one was issued. */
export function createSession(
  { accessToken, idToken, refreshToken, expiresIn }: TokenSet,
  how: { readonly email: string; readonly at: number; readonly idToken?: string },
): Session {
  return {
    kind: 'session',
    email: how.email,
    accessToken,
    idToken: idToken === '' ? (how.idToken ?? '') : idToken,
    refreshToken,
    expiresAt: how.at + expiresIn * 1000,
  };
}

function isDue({ expiresAt }: Session, at: number): boolean {
  return expiresAt - marginMs <= at;
}

/** Another command may have logged out, or replaced the session with a key. */
function sessionIn(kept: Credentials | null, profile: string): Session {
  if (kept?.kind === 'session') return kept;
  throw loginAgain(profile);
}

function loginAgain(profile: string): ForensicsError {
  return new ForensicsError(
    'unauthenticated',
    `The session of the profile "${profile}" has ended; log in again: forensics login --profile ${profile}`,
  );
}
