/** What proves to a server who asks, a file a profile. Read and written by the program, and never shown. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { takeLock } from '../../app/process-lock.ts';
import { configFolder } from '../../config.ts';
import { ForensicsError } from '../../errors.ts';
import { intoOwnFolder, readOwnJson, writeOwnJson } from './own-json.ts';
import { checkProfileName } from './profiles.ts';

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
