/** What proves to a server who asks, a file a profile. Read and written by the program, and never shown. */

import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Static, Type } from 'typebox';
import { configFolder } from '../../config/config.ts';
import { ForensicsError } from '../../errors.ts';
import { takeLock } from '../../files/process-lock.ts';
import { usageError } from '../errors.ts';
import { readText } from '../output/files.ts';
import { say } from '../output/print.ts';
import { checkProfileName, intoOwnFolder, readOwnJson, writeOwnJson } from './profiles.ts';

const apiKey = Type.Object({ kind: Type.Literal('apiKey'), apiKey: Type.String() });
const session = Type.Object({
  kind: Type.Literal('session'),
  email: Type.String(),
  accessToken: Type.String(),
  idToken: Type.String(),
  refreshToken: Type.String(),
  /** When the access token ends, in milliseconds of Unix time. */
  expiresAt: Type.Number(),
});
const kept = Type.Union([apiKey, session]);

export type Credentials = Static<typeof kept>;
export type Session = Static<typeof session>;

/** Null when there are none. @throws {ForensicsError} `config_invalid`. */
export function readCredentials(profile: string): Credentials | null {
  return readOwnJson(fileOf(profile), kept);
}

/** @throws {ForensicsError} `output_not_writable`. */
export function saveCredentials(profile: string, credentials: Credentials): void {
  writeOwnJson(fileOf(profile), credentials);
}

export function forgetCredentials(profile: string): void {
  rmSync(fileOf(profile), { force: true });
}

const pauseMs = 50;
const patienceMs = 60_000;

/**
 * Keeps every other process from the credentials of a profile while `act` changes them.
 *
 * @throws {ForensicsError} `conflict` when another process does not let go of them for a minute.
 */
export async function alone<T>(profile: string, act: () => Promise<T>): Promise<T> {
  const release = await locked(`${fileOf(profile)}.lock`);
  try {
    return await act();
  } finally {
    release();
  }
}

async function locked(file: string): Promise<() => void> {
  const begun = performance.now();
  while (performance.now() - begun < patienceMs) {
    const release = intoOwnFolder(file, () => takeLock(file));
    if (release !== null) return release;
    await wait(pauseMs);
  }
  throw new ForensicsError(
    'conflict',
    'Another command is renewing the session of this profile and does not come to an end; end it, and try again.',
  );
}

function fileOf(profile: string): string {
  return join(configFolder(), 'credentials', `${checkProfileName(profile)}.json`);
}

// API keys from a file, standard input or the environment; never from a flag, which everybody on the machine sees.

/** @param file - `-` is standard input. @throws {ForensicsError} `usage`, `file_not_found`, `file_not_readable`. */
export async function apiKeyFrom(file: string): Promise<string> {
  const key = checked(await readText(file), 'The file of --api-key-file');
  warnIfOpen(file);
  return key;
}

/** Null when there is none. @throws {ForensicsError} `usage`. */
export function apiKeyOfEnvironment(): string | null {
  const { FORENSICS_API_KEY = '' } = process.env;
  return FORENSICS_API_KEY === '' ? null : checked(FORENSICS_API_KEY, 'FORENSICS_API_KEY');
}

/** What holds no key is not sent anywhere: it may be another secret. */
function checked(text: string, where: string): string {
  const key = text.trim();
  if (/^sk-[\w-]{1,500}$/.test(key)) return key;
  throw usageError(`${where} must hold an API key, and nothing else; it begins with "sk-".`);
}

// Told, not refused: secrets that a container is given are often readable for all inside it.
function warnIfOpen(file: string): void {
  if (file === '-' || process.platform === 'win32') return;
  const { mode } = statSync(file);
  if ((mode & 0o077) !== 0) say(`Others on this machine can read ${file}; run chmod 600.`);
}
