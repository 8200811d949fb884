/** `forensics keys`: API keys of a tenant, on this machine or on a server. */

import { open, unlink } from 'node:fs/promises';
import { Option } from 'commander';
import type { Rotated } from '../../service/access/keys.ts';
import type { KeyEntry } from '../../contract/keys.ts';
import {
  ForensicsError,
  exitCodes,
  toForensicsError,
  conflict,
  usageError,
} from '../../contract/errors.ts';
import { systemCodeOf, toOutputFailure, writing } from '../../ports/files/files.ts';
import type { KeyActs } from '../connection/local.ts';
import { nameTenant, readApiKey, saveApiKey, serverNamed, withKeys } from '../connection/server.ts';
import {
  type Command,
  isRemote,
  longestMs,
  named,
  parseDuration,
  type ServiceOptions,
  type TextOptions,
} from '../options.ts';
import { printList } from '../output/layout.ts';
import { agreed, log, print, printJson } from '../output/terminal.ts';

export function defineKeys(keys: Command): void {
  keys.examples(
    'create --tenant acme --name ci --expires-in 90d',
    'rotate --tenant acme --name ci --grace 24h --json',
    'list --tenant acme --expiring-within 14d',
  );
  keys.hook('preAction', async (_keys, command) => nameTenant(command));
  keyCommand(keys, 'create', 'Create a key and print its secret once.')
    .examples('--tenant acme --name ci --expires-in 90d', '--tenant acme --name ci --out ci.key')
    .requiredOption('--name <name>', 'what the key is for', named)
    .addOption(lifeOption())
    .addOption(outOption())
    .action(create);
  keyCommand(keys, 'list', 'List the keys of a tenant, newest first.')
    .examples('--tenant acme', '--tenant acme --expiring-within 14d')
    .option(
      '--expiring-within <time>',
      'only keys that must be replaced within this time; exit code 10 if there are any',
      parseDuration,
    )
    .action(list);
  keyCommand(keys, 'rotate', 'Replace a key; the old one stays valid for a grace period.')
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
written to the file, the new key is revoked. A key may rotate itself.`)
    .examples(
      '--tenant acme --name ci --expires-in 90d --grace 24h --json',
      '--tenant acme --name ci --now --out new.key --url https://forensics.example:8443',
    )
    .action(rotate);
  keyCommand(keys, 'revoke', 'Revoke a key immediately and permanently.')
    .examples(
      '--tenant acme 0b8f3a52-6c1e-4b57-9a55-2f4d0e9c7a10',
      '--tenant acme 0b8f3a52-6c1e-4b57-9a55-2f4d0e9c7a10 --yes',
    )
    .argument('<uuid>', 'the uuid of the key, from "keys list"')
    .option('--yes', 'do not ask for confirmation (scripts are never asked)', false)
    .action(revoke);
}

function keyCommand(keys: Command, name: string, description: string): Command {
  return keys
    .subcommand(name, description)
    .option('--tenant <name>', 'the tenant of the key (default: the one in the profile)', named)
    .localOptions()
    .serverOptions();
}

const defaultLife = '90d';
const defaultGrace = '24h';

function outOption(): Option {
  return new Option('--out <file>', 'write the secret to a new file that only you can read');
}

function lifeOption(): Option {
  return new Option('--expires-in <time>', 'how long it is valid, such as 30m, 12h or 90d')
    .argParser(parseDuration)
    .default(parseDuration(defaultLife), defaultLife);
}

interface KeyOptions extends ServiceOptions {
  readonly tenant: string;
}

interface NewKeyOptions extends KeyOptions {
  /** Milliseconds. */
  readonly expiresIn: number;
  readonly out?: string;
}

async function create(options: NewKeyOptions & { readonly name: string }): Promise<void> {
  const { tenant, name, expiresIn, out } = options;
  const key = await withKeys(options, async (keys) =>
    withSecretFile(out, async (write) => {
      const made = await keys.create({ tenant, name, expiresAt: new Date(Date.now() + expiresIn) });
      await orRevoke(keys, { tenant, key: made }, async () => write?.(made.secret));
      return made;
    }),
  );
  if (options.json) return printJson(shownKey(key, out));
  printSecret(`Key "${key.name}" (${key.uuid}), valid until ${key.expiresAt}`, key, out);
}

async function list(options: KeyOptions & { readonly expiringWithin?: number }): Promise<void> {
  const { tenant, expiringWithin } = options;
  const all = await withKeys(options, async (keys) => keys.list(tenant));
  const isFiltered = expiringWithin !== undefined;
  const entries = isFiltered ? keysToReplace(all, Date.now() + expiringWithin) : all;
  if (isFiltered && entries.length > 0) process.exitCode = exitCodes.foundExpiring;
  const none = isFiltered ? 'No key expires in that time.' : 'There are no keys.';
  printList(
    entries,
    {
      uuid: ({ uuid }) => uuid,
      name: ({ name }) => name,
      created: ({ createdDate }) => createdDate.slice(0, 10),
      state: ({ ended }) => ended ?? 'active',
      expires: ({ expiresAt }) => expiresAt.slice(0, 10),
      'last used': ({ lastUsedDate }) => lastUsedDate?.slice(0, 10) ?? 'never',
      secret: ({ secret }) => secret,
    },
    { ...options, none },
  );
}

/** Keys valid now but not at `endMs`. A rotated key is left out, because another key of the same name is valid then. */
function keysToReplace(entries: readonly KeyEntry[], endMs: number): readonly KeyEntry[] {
  const later = entries.filter(({ expiresAt }) => Date.parse(expiresAt) > endMs);
  const lasting = new Set(later.map(({ name }) => name));
  return entries.filter((entry) => entry.ended === null && !lasting.has(entry.name));
}

async function revoke(uuid: string, options: KeyOptions & { readonly yes: boolean }) {
  const { tenant } = options;
  const isDone = await withKeys(options, async (keys) => {
    if (!(await agreed(`Revoke the key ${uuid} permanently?`, options))) return false;
    await keys.revoke({ tenant, uuid });
    return true;
  });
  if (options.json) return printJson({ uuid, revoked: isDone });
  log(isDone ? `Key ${uuid} is revoked.` : 'Nothing was revoked.');
}

// `keys rotate`: the old key stops working only after the new one has been tested.

interface RotateOptions extends NewKeyOptions, TextOptions<'name' | 'uuid'> {
  /** Milliseconds. */
  readonly grace: number;
  /** If set, there is no grace period. */
  readonly now?: true;
}

async function rotate(options: RotateOptions): Promise<void> {
  const { tenant, name, uuid, expiresIn, grace, now = false, out } = options;
  const which = uuid !== undefined ? { uuid } : name !== undefined ? { name } : null;
  if (which === null) throw usageError('Specify the key with --name or --uuid (see "keys list").');
  await withKeys(options, async (keys) => {
    const rotated = await withSecretFile(out, async (write) => {
      const expiresAt = new Date(Date.now() + expiresIn);
      // With --now, the old key must stay valid until the new one has been tested.
      const graceMs = now ? longestMs : grace;
      const made = await keys.rotate({ tenant, which, expiresAt, graceMs });
      const { key, replaced } = made;
      const otherwise = `The old key stays valid until ${replaced.expiresAt}.`;
      await orRevoke(keys, { tenant, key, otherwise }, async () => {
        await write?.(key.secret);
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

/** Uses the new key, which tests it once more. The replaced key, perhaps leaked, is revoked first. */
async function endOldKeys(keys: KeyActs, tenant: string, { key, replaced, earlier }: Rotated) {
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
function printSecret(what: string, { secret }: KeyEntry, out: string | undefined): void {
  if (out !== undefined) return log(`${what}, is in ${out}.`);
  log(`${what}. It will not be shown again:`);
  print(secret);
}

/** Updates the profile that contains the rotated key. @returns the name of that profile, or null. */
function renewInProfile(options: ServiceOptions, { key, replaced }: Rotated): string | null {
  const profile = isRemote(options) ? serverNamed(options).profile : undefined;
  if (profile === undefined) return null;
  const kept = readApiKey(profile);
  // The tag before the stars and the four characters after: one in 14 million keys matches by chance.
  const [start = '', end = ''] = replaced.secret.split(/\*+/);
  const isReplaced =
    start !== '' && end !== '' && kept?.startsWith(start) === true && kept.endsWith(end);
  if (!isReplaced) return null;
  saveApiKey(profile, key.secret);
  return profile;
}

/**
 * Runs `act`, which puts a new key to use, and revokes the key when that fails.
 *
 * @param made.otherwise - a sentence on what happens to older keys if this one is revoked.
 * @throws {ForensicsError} saying what went wrong and what happened to the key.
 */
async function orRevoke(
  keys: KeyActs,
  made: { readonly tenant: string; readonly key: KeyEntry; readonly otherwise?: string },
  act: () => Promise<void>,
): Promise<void> {
  const { tenant, key, otherwise = '' } = made;
  const { uuid } = key;
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

function shownKey({ secret, ...key }: KeyEntry, out: string | undefined) {
  return out === undefined ? { ...key, secret } : key;
}

/**
 * The file, which only its owner may read, is created first, because creating a key cannot be undone; it is removed
 * when `act` fails.
 *
 * @throws {ForensicsError} `conflict` if it exists, `output_not_writable`.
 */
async function withSecretFile<T>(
  path: string | undefined,
  act: (write: ((secret: string) => Promise<void>) | null) => Promise<T>,
): Promise<T> {
  if (path === undefined) return act(null);
  const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
    throw systemCodeOf(error) === 'EEXIST'
      ? conflict(`${path} already exists; choose another --out.`)
      : toOutputFailure(error);
  });
  try {
    return await act((secret) =>
      writing(async () => {
        await file.writeFile(`${secret}\n`);
        await file.sync();
      }),
    );
  } catch (error) {
    await unlink(path);
    throw error;
  } finally {
    await file.close();
  }
}
