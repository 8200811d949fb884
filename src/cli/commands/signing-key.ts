/** `forensics signing-key`: the key that signs the evidence bundles of this installation. */

import type { Command } from 'commander';
import { hasInstallation, openCore } from '../../service/core.ts';
import { operator, serviceChain } from '../../service/audit/entry.ts';
import type { Audit } from '../../service/audit/log.ts';
import { ForensicsError } from '../../errors.ts';
import {
  createSigningKeys,
  keysInFolder,
  type SigningKey,
  type SigningKeys,
} from '../../evidence/signing-keys.ts';
import { examples, fingerprintIn, type LocalOptions, withLocalOptions } from '../options.ts';
import { log, print, printJson } from '../output/terminal.ts';
import { listTable } from '../output/layout.ts';
import { settingsFor } from '../connection/local.ts';

interface KeyOptions extends LocalOptions {
  readonly json: boolean;
}

interface ExportOptions extends KeyOptions {
  readonly fingerprint?: string;
}

export function defineSigningKey(signingKey: Command): void {
  signingKey.addHelpText(
    'after',
    `
The first use makes the key. Its private half stays in the data folder, or in the database of several machines, and has no way out: make backups.

Examples:
  $ forensics signing-key show
  $ forensics signing-key export > examiner.pem`,
  );
  withLocalOptions(
    signingKey
      .command('show')
      .description('List the key in use and those before it, with their times.')
      .addHelpText('after', examples('signing-key show', 'signing-key show --json')),
  ).action(async (_own: unknown, command: Command) => {
    await show(command.optsWithGlobals<KeyOptions>());
  });
  withLocalOptions(
    signingKey
      .command('export')
      .description('Print the public key (PEM), which others need to verify bundles.')
      .addHelpText(
        'after',
        examples('signing-key export > signing-key.pem', 'signing-key export --json'),
      )
      .option('--fingerprint <sha256>', 'an earlier key (see "signing-key show")'),
  ).action(async (_own: unknown, command: Command) => {
    await exportKey(command.optsWithGlobals<ExportOptions>());
  });
  withLocalOptions(
    signingKey
      .command('rotate')
      .description('Replace the signing key. Existing bundles stay valid.')
      .addHelpText('after', examples('signing-key rotate', 'signing-key rotate --json')),
  ).action(async (_own: unknown, command: Command) => {
    await rotate(command.optsWithGlobals<KeyOptions>());
  });
}

async function show(options: KeyOptions): Promise<void> {
  const keys = await withKeys(options, ({ signingKeys }) => signingKeys.list());
  if (options.json) return printJson({ keys: keys.map(shown) });
  const rows = keys.map(({ fingerprint, createdAt, retiredAt }) => [
    fingerprint,
    createdAt.toISOString(),
    retiredAt === null ? 'in use' : `retired ${retiredAt.toISOString()}`,
  ]);
  print(listTable(['fingerprint (SHA-256)', 'made', 'state'], rows));
}

async function exportKey({ fingerprint, ...options }: ExportOptions): Promise<void> {
  const keys = await withKeys(options, ({ signingKeys }) => signingKeys.list());
  const wanted = fingerprint === undefined ? null : fingerprintIn(fingerprint);
  const key = wanted === null ? keys[0] : keys.find((one) => one.fingerprint === wanted);
  if (key === undefined) {
    throw new ForensicsError(
      'not_found',
      'No signing key here has this fingerprint; "forensics signing-key show" lists them.',
    );
  }
  if (options.json) return printJson(shown(key));
  process.stdout.write(key.pem);
}

async function rotate(options: KeyOptions): Promise<void> {
  const key = await withKeys(options, async ({ signingKeys, audit }) => {
    const rotated = await signingKeys.rotate();
    const details = { fingerprint: rotated.fingerprint };
    const told = { event: 'signing_key.rotated', subject: null, details } as const;
    await audit?.note({ chain: serviceChain, actor: operator, ...told });
    return rotated;
  });
  log('Give the new fingerprint to those who verify. Bundles that the old key signed stay valid.');
  if (options.json) return printJson(shown(key));
  print(key.fingerprint);
}

interface Keys {
  readonly signingKeys: SigningKeys;
  /** A folder that only ever signed has no database, and so no log. */
  readonly audit?: Audit;
}

async function withKeys<T>(options: LocalOptions, act: (keys: Keys) => Promise<T>): Promise<T> {
  const settings = settingsFor(options);
  if (!hasInstallation(settings)) {
    return act({
      signingKeys: createSigningKeys(keysInFolder(settings.dataDir), () => new Date()),
    });
  }
  const core = await openCore(settings);
  try {
    return await act(core);
  } finally {
    await core.close();
  }
}

function shown({ fingerprint, pem, createdAt, retiredAt }: SigningKey) {
  return { fingerprint, createdAt, retiredAt, publicKey: pem };
}
