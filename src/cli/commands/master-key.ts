/** `forensics master-key`: the key that encrypts all other secrets of a data folder. */

import type { Command } from '../command.ts';
import { parseKey } from '../../service/secrets/secrets.ts';
import { rotateMasterKey, type Rotation } from '../../service/secrets/rotate-master-key.ts';
import type { Settings } from '../../contract/config.ts';
import { usageError } from '../errors.ts';
import { readText } from '../input.ts';
import { log, print, printJson } from '../output/terminal.ts';
import { installedSettings } from '../connection/local.ts';
import { calling, type LocalOptions, subcommand, withLocalOptions } from '../options.ts';

export function defineMasterKey(masterKey: Command): void {
  masterKey.examples('rotate', 'rotate --key-file new.key --now');
  withLocalOptions(
    subcommand(
      masterKey,
      'rotate',
      'Encrypt all secrets with a new master key. Stop all servers and workers first.',
    )
      .option('--key-file <file>', 'the new key, 64 hexadecimal digits; - for standard input')
      .option(
        '--now',
        'also invalidate presigned URLs and webhook secrets, for example after a leak',
        false,
      ),
  )
    .helpAfter(`
API keys, accounts and their sessions stay valid. Without --now, so do presigned URLs and webhook secrets.
Replace a key in the environment (FORENSICS_MASTER_KEY) with one that you generate (openssl rand -hex 32): specify its
file with --key-file, and set the variable to it before the next start. Machines that share a PostgreSQL database all
need the new key. Earlier backups still need the key that was in use at the time.`)
    .examples('', '--now')
    .action(calling(rotate));
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
