/** `forensics signing-key`: the key that signs the evidence bundles of this installation. */

import type { Command } from '../command.ts';
import { hasInstallation } from '../../service/core.ts';
import { operator, serviceChain } from '../../service/audit/entry.ts';
import type { Audit } from '../../service/audit/log.ts';
import {
  createSigningKeys,
  keysInFolder,
  type SigningKey,
  type SigningKeys,
} from '../../evidence/signing-keys.ts';
import { calling, localCommand, type LocalOptions } from '../options.ts';
import { log, print, printJson } from '../output/terminal.ts';
import { toList } from '../output/layout.ts';
import { now, settingsFor, withCore } from '../connection/local.ts';

export function defineSigningKey(signingKey: Command): void {
  signingKey
    .helpAfter(`
The key is created on first use. Its private half is stored in the data folder or, with several machines, in the database,
and cannot be exported: make backups. "show --json" has the public halves of earlier keys.`)
    .examples('show', 'export > examiner.pem');
  localCommand(signingKey, 'show', 'List the current key and earlier ones, with their dates.')
    .examples('', '--json')
    .action(calling(show));
  const exports = 'Print the public key (PEM), which others need to verify bundles.';
  localCommand(signingKey, 'export', exports)
    .examples('> signing-key.pem', '--json')
    .action(calling(exportKey));
  localCommand(signingKey, 'rotate', 'Replace the signing key. Existing bundles stay valid.')
    .examples('', '--json')
    .action(calling(rotate));
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

async function rotate(options: LocalOptions): Promise<void> {
  const key = await withKeys(options, async ({ signingKeys, audit }) => {
    const rotated = await signingKeys.rotate();
    const details = { fingerprint: rotated.fingerprint };
    const auditEvent = { event: 'signing_key.rotated', subject: null, details } as const;
    await audit?.note({ chain: serviceChain, actor: operator, ...auditEvent });
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
