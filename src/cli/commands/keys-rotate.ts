/** `forensics keys rotate`: a new key in place of an old one, which ends only when the new one was proven. */

import { type FileHandle, open, unlink } from 'node:fs/promises';
import type { Rotated } from '../../service/access/keys.ts';
import type { KeyEntry } from '../../contract/keys.ts';
import { ForensicsError, toForensicsError } from '../../errors.ts';
import { isFull, systemCodeOf } from '../../ports/files/system-errors.ts';
import { usageError } from '../errors.ts';
import { isRemote, longestMs, type ServiceOptions } from '../options.ts';
import { log, print, printJson } from '../output/terminal.ts';
import { readCredentials, saveCredentials } from '../connection/profiles.ts';
import { serverNamed } from '../connection/server.ts';
import { type KeyActs, withService } from '../connection/service.ts';
import type { KeyOptions } from './keys.ts';

export interface RotateOptions extends KeyOptions {
  readonly name?: string;
  readonly uuid?: string;
  /** Milliseconds. */
  readonly expiresIn: number;
  /** Milliseconds. */
  readonly grace: number;
  /** No grace. */
  readonly now?: true;
  readonly out?: string;
}

export async function rotate(options: RotateOptions): Promise<void> {
  const { out, now = false } = options;
  const which = whichOf(options);
  await withService(options, async ({ keys }) => {
    const rotated = await withSecretFile(out, async (file) => {
      const { tenant, expiresIn, grace } = options;
      const expiresAt = new Date(Date.now() + expiresIn);
      // Where the old key is to end at once it lives on until the new one is proven.
      const graceMs = now ? longestMs : grace;
      const made = await keys.rotate({ tenant, which, expiresAt, graceMs });
      const otherwise = `The old key stays valid until ${made.replaced.expiresAt}.`;
      await orRevoke(keys, { tenant, key: made.key, otherwise }, async () => {
        const { secret } = made.key;
        await file?.write(secret);
        await keys.prove({ tenant, secret });
        const profile = renewInProfile(options, made);
        if (profile !== null) log(`The profile "${profile}" has the new key.`);
      });
      return made;
    });
    if (!now) return logRotation(rotated, options);
    const { replaced, failure } = await endOld(keys, options.tenant, rotated);
    // The new key is good whatever became of the old one.
    logRotation({ key: rotated.key, replaced }, options);
    if (failure !== null) throw failure;
  });
}

function whichOf({ name, uuid }: RotateOptions) {
  if (uuid !== undefined) return { uuid };
  if (name !== undefined) return { name };
  throw usageError('Name the key with --name or --uuid (see "keys list").');
}

interface Ended {
  /** As it is then. */
  readonly replaced: KeyEntry;
  readonly failure: ForensicsError | null;
}

/** With the new key: that it can do so is one more proof. The key that leaked goes first. */
async function endOld(
  keys: KeyActs,
  tenant: string,
  { key, replaced, earlier }: Rotated,
): Promise<Ended> {
  let ended = replaced;
  for (const { uuid } of [replaced, ...earlier]) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- a failure is reported with its uuid, and ends the loop
      await keys.revoke({ tenant, uuid, bySecret: key.secret });
    } catch (error) {
      const failure = toForensicsError(error);
      if (failure.code !== 'not_found')
        return { replaced: ended, failure: notEnded(uuid, failure) };
    }
    ended = { ...replaced, expiresAt: new Date().toISOString(), ended: 'replaced' };
  }
  return { replaced: ended, failure: null };
}

function notEnded(uuid: string, failure: ForensicsError): ForensicsError {
  return new ForensicsError(
    failure.code,
    `The new key is valid, but the old one (${uuid}) could not be ended: ${failure.message} Run "forensics keys revoke ${uuid}".`,
    { cause: failure },
  );
}

function logRotation(
  { key, replaced }: Pick<Rotated, 'key' | 'replaced'>,
  { json, out }: RotateOptions,
): void {
  if (json) return printJson({ key: shownKey(key, out), replaced });
  const end = replaced.ended === null ? `ends at ${replaced.expiresAt}` : 'has ended';
  log(`The old key (${replaced.uuid}) ${end}.`);
  const told = `Key "${key.name}" (${key.uuid}), proven and valid until ${key.expiresAt}`;
  if (out !== undefined) return log(`${told}, is in ${out}.`);
  log(`${told}. It will not be shown again:`);
  print(key.secret);
}

/**
 * Updates the profile that stores the rotated key.
 *
 * @returns the name of the profile that was renewed, or null.
 * @throws {ForensicsError} `output_not_writable`.
 */
function renewInProfile(
  options: ServiceOptions,
  { key, replaced }: Pick<Rotated, 'key' | 'replaced'>,
): string | null {
  const profile = isRemote(options) ? serverNamed(options).profile : undefined;
  if (profile === undefined) return null;
  const kept = readCredentials(profile);
  if (kept?.kind !== 'apiKey' || !isMaskOf(replaced.secret, kept.apiKey)) return null;
  saveCredentials(profile, { kind: 'apiKey', apiKey: key.secret });
  return profile;
}

/** The tag before the stars and the four characters behind them: of a tenant's keys one in 14 million has the same. */
function isMaskOf(masked: string, secret: string): boolean {
  const [start = '', end = ''] = masked.split(/\*+/);
  return start !== '' && end !== '' && secret.startsWith(start) && secret.endsWith(end);
}

/**
 * A new key is useful only if its secret is stored where the caller asked, and works. Opens the file of `--out`, where
 * there is one, around an act that makes a key.
 */
export async function withSecretFile<T>(
  path: string | undefined,
  act: (file: SecretFile | null) => Promise<T>,
): Promise<T> {
  if (path === undefined) return act(null);
  const file = await openSecretFile(path);
  try {
    return await act(file);
  } catch (error) {
    await file.discard();
    throw error;
  } finally {
    await file.close();
  }
}

interface NewKey {
  readonly tenant: string;
  readonly key: KeyEntry;
  /** What is true of older keys when this one is revoked. */
  readonly otherwise: string;
}

/**
 * Does what makes the key usable; a key for which that fails is revoked.
 *
 * @throws {ForensicsError} what went wrong, and what became of the key.
 */
export async function orRevoke(
  keys: Pick<KeyActs, 'revoke'>,
  { tenant, key, otherwise }: NewKey,
  act: () => Promise<void>,
): Promise<void> {
  try {
    await act();
  } catch (error) {
    const failure = toForensicsError(error);
    const isRevoked = await isDone(keys.revoke({ tenant, uuid: key.uuid }));
    const outcome = isRevoked
      ? `The new key was revoked again. ${otherwise}`
      : `The new key (${key.uuid}) could not be revoked either: do so with "forensics keys revoke". ${otherwise}`;
    const message = `The new key cannot be used: ${failure.message} ${outcome}`.trim();
    throw new ForensicsError(failure.code, message, { cause: error });
  }
}

async function isDone(act: Promise<void>): Promise<boolean> {
  return act.then(
    () => true,
    () => false,
  );
}

/** The key as it is printed: its secret is in the file, or here. */
export function shownKey(
  { secret, ...key }: KeyEntry,
  out: string | undefined,
): Omit<KeyEntry, 'secret'> & { readonly secret?: string } {
  return out === undefined ? { ...key, secret } : key;
}

/** Writes a secret to a file instead of the screen. */
interface SecretFile {
  /** On the disk when it returns. @throws {ForensicsError} `no_space_left`, `output_not_writable`. */
  write(secret: string): Promise<void>;
  /** Removes it. */
  discard(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A new file that only its owner may read. It is made before the secret is: what cannot be repeated is not done for a file
 * that cannot be written.
 *
 * @throws {ForensicsError} `conflict` when the file exists, `output_not_writable`.
 */
async function openSecretFile(path: string): Promise<SecretFile> {
  const file = await openNew(path);
  return {
    async write(secret) {
      try {
        await file.writeFile(`${secret}\n`);
        await file.sync();
      } catch (error) {
        throw toWriteFailure(error);
      }
    },
    discard: async () => unlink(path),
    close: async () => file.close(),
  };
}

async function openNew(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600);
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') {
      const message = 'The file of --out exists; remove it or name another.';
      throw new ForensicsError('conflict', message, { cause: error });
    }
    const message = 'The file of --out cannot be written; name one in a folder that is yours.';
    throw new ForensicsError('output_not_writable', message, { cause: error });
  }
}

function toWriteFailure(error: unknown): ForensicsError {
  return isFull(systemCodeOf(error))
    ? new ForensicsError('no_space_left', 'There is no room for the file of --out.', {
        cause: error,
      })
    : new ForensicsError('output_not_writable', 'The file of --out cannot be written.', {
        cause: error,
      });
}
