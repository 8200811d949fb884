/** `forensics master-key` and `signing-key`: the keys that encrypt all other secrets and sign all evidence bundles. */

import { parseKey, rotateMasterKey, type Rotation } from '../../service/secrets/secrets.ts';
import type { Settings } from '../../contract/config.ts';
import { usageError } from '../../contract/errors.ts';
import { log, print, printJson, readText } from '../output/terminal.ts';
import { installedSettings, now, settingsFor, withCore } from '../connection/local.ts';
import type { Command, LocalOptions } from '../options.ts';
import { hasInstallation } from '../../service/core.ts';
import { operator, serviceChain } from '../../service/audit/entry.ts';
import type { Audit } from '../../service/audit/log.ts';
import {
  createSigningKeys,
  keysInFolder,
  type SigningKey,
  type SigningKeys,
} from '../../evidence/sign.ts';
import { toList } from '../output/layout.ts';

export function defineMasterKey(masterKey: Command): void {
  masterKey.examples('rotate', 'rotate --key-file new.key --now');
  const rotates = 'Encrypt all secrets with a new master key. Stop all servers and workers first.';
  const ends = 'also invalidate presigned URLs and webhook secrets, for example after a leak';
  masterKey
    .subcommand('rotate', rotates)
    .option('--key-file <file>', 'the new key, 64 hexadecimal digits; - for standard input')
    .option('--now', ends, false)
    .localOptions()
    .helpAfter(`
API keys, accounts and their sessions stay valid. Without --now, so do presigned URLs and webhook secrets.
Replace a key in the environment (FORENSICS_MASTER_KEY) with one that you generate (openssl rand -hex 32): specify its
file with --key-file, and set the variable to it before the next start. Machines that share a PostgreSQL database all
need the new key. Earlier backups still need the key that was in use at the time.`)
    .examples('', '--now')
    .action(rotate);
}

async function rotate(
  options: LocalOptions & { readonly keyFile?: string; readonly now: boolean },
): Promise<void> {
  const settings = installedSettings(options);
  const { keyFile } = options;
  const newKey = keyFile === undefined ? null : parseKey(await readText(keyFile));
  if (keyFile !== undefined && newKey === null) {
    throw usageError('--key-file must contain 64 hexadecimal digits.');
  }
  const rotation = await rotateMasterKey(settings, { newKey, endsOld: options.now });
  for (const line of nextSteps(rotation, settings, options.now)) log(line);
  const { resealed, unreadable } = rotation;
  if (options.json) return printJson({ rotated: true, resealed, unreadable });
  print(`The master key was replaced; storage configurations re-encrypted: ${resealed}.`);
}

function nextSteps(
  { unreadable, isWiped }: Rotation,
  { masterKey, databaseUrl }: Settings,
  endsOld: boolean,
): readonly string[] {
  const isInFile = masterKey === null;
  // Only a database that several machines share has a URL.
  const isShared = databaseUrl !== null;
  return [
    !isInFile && 'Set FORENSICS_MASTER_KEY to the new key before the next start.',
    isInFile &&
      isShared &&
      'Copy master.key from this data folder to every other machine before its next start.',
    endsOld &&
      'Give the webhook receivers their new secrets: forensics tenant webhook-secret <name>. If store credentials may have leaked too, change them at the store.',
    unreadable > 0 &&
      `${unreadable} storage configurations could not be decrypted and were left unchanged.`,
    !isWiped &&
      'The disk is too full to rewrite the database. Free some space and rotate again; until then it holds data encrypted with the old key.',
  ].filter((step) => step !== false);
}

// `forensics signing-key`: the key that signs the evidence bundles of this installation.

export function defineSigningKey(signingKey: Command): void {
  signingKey
    .helpAfter(`
The key is created on first use. Its private half is stored in the data folder or, with several machines, in the database,
and cannot be exported: make backups. "show --json" has the public halves of earlier keys.`)
    .examples('show', 'export > examiner.pem');
  signingKey
    .localCommand('show', 'List the current key and earlier ones, with their dates.')
    .examples('', '--json')
    .action(show);
  const exports = 'Print the public key (PEM), which others need to verify bundles.';
  signingKey
    .localCommand('export', exports)
    .examples('> signing-key.pem', '--json')
    .action(exportKey);
  signingKey
    .localCommand('rotate', 'Replace the signing key. Existing bundles stay valid.')
    .examples('', '--json')
    .action(rotateSigningKey);
}

async function show(options: LocalOptions): Promise<void> {
  const keys = await withKeys(options, ({ signingKeys }) => signingKeys.list());
  if (options.json) return printJson({ keys: keys.map(shown) });
  const table = toList(keys, {
    'fingerprint (SHA-256)': ({ fingerprint }) => fingerprint,
    made: ({ createdAt }) => createdAt.toISOString(),
    state: ({ retiredAt: at }) => (at === null ? 'in use' : `retired ${at.toISOString()}`),
  });
  print(table);
}

async function exportKey(options: LocalOptions): Promise<void> {
  const [key] = await withKeys(options, ({ signingKeys }) => signingKeys.list());
  if (options.json) return printJson(shown(key!));
  process.stdout.write(key!.pem);
}

async function rotateSigningKey(options: LocalOptions): Promise<void> {
  const key = await withKeys(options, async ({ signingKeys, audit }) => {
    const rotated = await signingKeys.rotate();
    const event = 'signing_key.rotated';
    const details = { fingerprint: rotated.fingerprint };
    await audit?.note({ chain: serviceChain, actor: operator, event, subject: null, details });
    return rotated;
  });
  log(
    'Give the new fingerprint to everyone who verifies bundles. Bundles signed with the old key stay valid.',
  );
  if (options.json) return printJson(shown(key));
  print(key.fingerprint);
}

/** A data folder used only for signing has no database, and therefore no audit log. */
async function withKeys<T>(
  options: LocalOptions,
  act: (keys: { readonly signingKeys: SigningKeys; readonly audit?: Audit }) => Promise<T>,
): Promise<T> {
  const settings = settingsFor(options);
  if (hasInstallation(settings)) return withCore(settings, act);
  return act({ signingKeys: createSigningKeys(keysInFolder(settings.dataDir), now) });
}

function shown({ fingerprint, pem, createdAt, retiredAt }: SigningKey) {
  return { fingerprint, createdAt, retiredAt, publicKey: pem };
}
