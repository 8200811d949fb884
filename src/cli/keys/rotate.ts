/** `forensics keys rotate`: a new key in place of an old one, which ends only when the new one was proven. */

import type { KeyEntry } from '../../access/key-entry.ts';
import type { Rotated } from '../../access/keys.ts';
import { ForensicsError, toForensicsError } from '../../errors.ts';
import { longestMs } from '../duration.ts';
import { usageError } from '../failure.ts';
import { print, printJson, say } from '../talk.ts';
import { withService } from '../service/open.ts';
import type { KeyActs } from '../service/service.ts';
import { orRevoke, shownKey, withSecretFile } from './new-key.ts';
import type { KeyOptions } from './options.ts';
import { renewInProfile } from './profile-key.ts';

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
      const otherwise = `The old key stays good until ${made.replaced.expiresAt}.`;
      await orRevoke(keys, { tenant, key: made.key, otherwise }, async () => {
        const { secret } = made.key;
        await file?.write(secret);
        await keys.prove({ tenant, secret });
        const profile = renewInProfile(options, made);
        if (profile !== null) say(`The profile "${profile}" has the new key.`);
      });
      return made;
    });
    if (!now) return tell(rotated, options);
    const { replaced, failure } = await endOld(keys, options.tenant, rotated);
    // The new key is good whatever became of the old one.
    tell({ key: rotated.key, replaced }, options);
    if (failure !== null) throw failure;
  });
}

function whichOf({ name, uuid }: RotateOptions) {
  if (uuid !== undefined) return { uuid };
  if (name !== undefined) return { name };
  throw usageError('Say which key: --name, or --uuid as "keys list" tells it.');
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
      // oxlint-disable-next-line no-await-in-loop -- what fails is told by its uuid, and ends the loop
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
    `The new key is good, but the old one (${uuid}) was not ended: ${failure.message} End it with "forensics keys revoke ${uuid}".`,
    { cause: failure },
  );
}

function tell(
  { key, replaced }: Pick<Rotated, 'key' | 'replaced'>,
  { json, out }: RotateOptions,
): void {
  if (json) return printJson({ key: shownKey(key, out), replaced });
  const end = replaced.ended === null ? `ends at ${replaced.expiresAt}` : 'has ended';
  say(`The old key (${replaced.uuid}) ${end}.`);
  const told = `Key "${key.name}" (${key.uuid}), proven and valid until ${key.expiresAt}`;
  if (out !== undefined) return say(`${told}, is in ${out}.`);
  say(`${told}. It is not shown again:`);
  print(key.secret);
}
