/** A key that was just made: of use only when its secret arrives where it is meant to, and opens the door. */

import type { KeyEntry } from '../../access/key-entry.ts';
import { ForensicsError, toForensicsError } from '../../errors.ts';
import type { KeyActs } from '../service/service.ts';
import { openSecretFile, type SecretFile } from './secret-file.ts';

/** Opens the file of `--out`, where there is one, around an act that makes a key. */
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

export interface NewKey {
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
