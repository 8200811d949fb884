/** `forensics keys rotate`: replaces a key. The old key stops working only after the new one has been tested. */

import { open, unlink } from 'node:fs/promises';
import { Option } from 'commander';
import type { Command } from '../command.ts';
import type { Rotated } from '../../service/access/keys.ts';
import type { KeyEntry } from '../../contract/keys.ts';
import { ForensicsError, toForensicsError } from '../../errors.ts';
import { systemCodeOf, toOutputFailure, writing } from '../../ports/files/system-errors.ts';
import { usageError } from '../errors.ts';
import { calling, isRemote, longestMs, parseDuration, type ServiceOptions } from '../options.ts';
import { log, print, printJson } from '../output/terminal.ts';
import { readApiKey, saveApiKey } from '../connection/profiles.ts';
import { serverNamed, withKeys } from '../connection/server.ts';
import type { KeyActs } from '../connection/local.ts';

const defaultLife = '90d';
const defaultGrace = '24h';

export function defineRotate(command: Command): void {
  command
    .description('Replace a key; the old one stays valid for a grace period.')
    .option('--name <name>', 'the newest valid key with this name')
    .addOption(
      new Option('--uuid <uuid>', 'the uuid of the key, from "keys list"').conflicts('name'),
    )
    .addOption(lifeOption())
    .addOption(
      new Option('--grace <time>', 'how long the old key stays valid')
        .argParser(parseDuration)
        .default(parseDuration(defaultGrace), defaultGrace),
    )
    .addOption(
      new Option(
        '--now',
        'revoke the old key at once, for example after a leak; with --name, its predecessors too',
      ).conflicts('grace'),
    )
    .addOption(outOption())
    .helpAfter(`
The new key is tested with a request before the old one stops working. If that fails, or the key cannot be
written to the file, the new key is revoked. A key may rotate itself.

Examples:
  $ forensics keys rotate --tenant acme --name ci --expires-in 90d --grace 24h --json
  $ forensics keys rotate --tenant acme --name ci --now --out new.key --url https://forensics.example:8443`)
    .action(calling(rotate));
}

export function outOption(): Option {
  return new Option('--out <file>', 'write the secret to a new file that only you can read');
}

export function lifeOption(): Option {
  return new Option('--expires-in <time>', 'how long it is valid, such as 30m, 12h or 90d')
    .argParser(parseDuration)
    .default(parseDuration(defaultLife), defaultLife);
}

export interface KeyOptions extends ServiceOptions {
  readonly tenant: string;
}

interface RotateOptions extends KeyOptions {
  readonly name?: string;
  readonly uuid?: string;
  /** Milliseconds. */
  readonly expiresIn: number;
  /** Milliseconds. */
  readonly grace: number;
  /** If set, there is no grace period. */
  readonly now?: true;
  readonly out?: string;
}

async function rotate(options: RotateOptions): Promise<void> {
  const { tenant, name, uuid, expiresIn, grace, now = false, out } = options;
  const which = uuid !== undefined ? { uuid } : name !== undefined ? { name } : null;
  if (which === null) throw usageError('Specify the key with --name or --uuid (see "keys list").');
  await withKeys(options, async (keys) => {
    const rotated = await withSecretFile(out, async (file) => {
      const expiresAt = new Date(Date.now() + expiresIn);
      // With --now, the old key must stay valid until the new one has been tested.
      const graceMs = now ? longestMs : grace;
      const made = await keys.rotate({ tenant, which, expiresAt, graceMs });
      const { key, replaced } = made;
      const otherwise = `The old key stays valid until ${replaced.expiresAt}.`;
      await orRevoke(keys, { tenant, key, otherwise }, async () => {
        await file?.write(key.secret);
        await keys.list(tenant, key.secret);
        const profile = renewInProfile(options, made);
        if (profile !== null) log(`The profile "${profile}" has the new key.`);
      });
      return made;
    });
    if (!now) return printRotation(rotated, options);
    const { replaced, failure } = await endOldKeys(keys, tenant, rotated);
    // The new key works, whatever has happened to the old ones.
    printRotation({ key: rotated.key, replaced }, options);
    if (failure !== null) throw failure;
  });
}

interface Ended {
  /** The old key in its new state. */
  readonly replaced: KeyEntry;
  readonly failure: ForensicsError | null;
}

/** Authenticates with the new key, which tests it once more. The replaced key, perhaps leaked, is revoked first. */
async function endOldKeys(
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
      const { code, message } = toForensicsError(error);
      if (code !== 'not_found') {
        const text = `The new key is valid, but the old one (${uuid}) could not be revoked: ${message} Run "forensics keys revoke ${uuid}".`;
        return { replaced: ended, failure: new ForensicsError(code, text, { cause: error }) };
      }
    }
    ended = { ...replaced, expiresAt: new Date().toISOString(), ended: 'replaced' };
  }
  return { replaced: ended, failure: null };
}

function printRotation(
  { key, replaced }: Pick<Rotated, 'key' | 'replaced'>,
  { json, out }: RotateOptions,
): void {
  if (json) return printJson({ key: shownKey(key, out), replaced });
  const end = replaced.ended === null ? `expires at ${replaced.expiresAt}` : 'has been revoked';
  log(`The old key (${replaced.uuid}) ${end}.`);
  const what = `Key "${key.name}" (${key.uuid}), tested and valid until ${key.expiresAt}`;
  printSecret(what, key, out);
}

/** Prints a new key's secret, or the path of its file. @param what - the key, as the beginning of a sentence. */
export function printSecret(what: string, { secret }: KeyEntry, out: string | undefined): void {
  if (out !== undefined) return log(`${what}, is in ${out}.`);
  log(`${what}. It will not be shown again:`);
  print(secret);
}

/** Updates the profile that contains the rotated key. @returns the name of that profile, or null. */
function renewInProfile(options: ServiceOptions, { key, replaced }: Rotated): string | null {
  const profile = isRemote(options) ? serverNamed(options).profile : undefined;
  if (profile === undefined) return null;
  const kept = readApiKey(profile);
  // Compares the tag before the stars and the four characters after them; one in 14 million keys of
  // a tenant matches by chance.
  const [start = '', end = ''] = replaced.secret.split(/\*+/);
  const isReplaced =
    start !== '' && end !== '' && kept?.startsWith(start) === true && kept.endsWith(end);
  if (!isReplaced) return null;
  saveApiKey(profile, key.secret);
  return profile;
}

interface NewKey {
  readonly tenant: string;
  readonly key: KeyEntry;
  /** A sentence on what happens to older keys if this one is revoked. */
  readonly otherwise?: string;
}

/**
 * Runs `act`, which puts a new key to use, and revokes the key when that fails.
 *
 * @throws {ForensicsError} saying what went wrong and what happened to the key.
 */
export async function orRevoke(
  keys: Pick<KeyActs, 'revoke'>,
  { tenant, key: { uuid }, otherwise = '' }: NewKey,
  act: () => Promise<void>,
): Promise<void> {
  try {
    await act();
  } catch (error) {
    const { code, message } = toForensicsError(error);
    const outcome = await keys.revoke({ tenant, uuid }).then(
      () => 'The new key has been revoked.',
      () =>
        `The new key (${uuid}) could not be revoked either: do so with "forensics keys revoke".`,
    );
    const text = `The new key cannot be used: ${message} ${outcome} ${otherwise}`.trim();
    throw new ForensicsError(code, text, { cause: error });
  }
}

/** The key as printed. If its secret was written to a file, the secret is left out. */
export function shownKey(
  { secret, ...key }: KeyEntry,
  out: string | undefined,
): Omit<KeyEntry, 'secret'> & { readonly secret?: string } {
  return out === undefined ? { ...key, secret } : key;
}

interface SecretFile {
  /** Flushes the secret to disk before returning. @throws {ForensicsError} `no_space_left`, `output_not_writable`. */
  write(secret: string): Promise<void>;
}

/**
 * Runs `act`, which creates a key, with the `--out` file, if any: a new file that only its owner
 * may read. The file is created first, because creating a key cannot be undone if the file turns
 * out not to be writable. It is removed when `act` fails.
 *
 * @throws {ForensicsError} `conflict` if the file exists, `output_not_writable`.
 */
export async function withSecretFile<T>(
  path: string | undefined,
  act: (file: SecretFile | null) => Promise<T>,
): Promise<T> {
  if (path === undefined) return act(null);
  const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
    throw systemCodeOf(error) === 'EEXIST'
      ? new ForensicsError('conflict', `${path} already exists; choose another --out.`)
      : toOutputFailure(error);
  });
  const write = (secret: string) =>
    writing(async () => {
      await file.writeFile(`${secret}\n`);
      await file.sync();
    });
  try {
    return await act({ write });
  } catch (error) {
    await unlink(path);
    throw error;
  } finally {
    await file.close();
  }
}
