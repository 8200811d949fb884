/** `forensics backup`: the data folder in one file, and whether such a file is whole. */

import type { Command } from 'commander';
import type { CreateOptions } from './backup/create.ts';
import { withLocalOnlyOptions } from './local-only.ts';
import { named } from './option-values.ts';

export function registerBackup(program: Command): void {
  const backup = program
    .command('backup')
    .description('Back up the data folder while its server works; check a backup.')
    .addHelpText(
      'after',
      `
Examples:
  $ forensics backup create --out /mnt/backups
  $ forensics backup verify /mnt/backups/forensics-backup-20261121T213005Z.tar`,
    );
  withLocalOnlyOptions(
    backup
      .command('create')
      .description('Write database, pictures, reports, keys and models into one file.')
      .option('-o, --out <path>', 'the file, or the folder for it (default: this folder)', named)
      .option('--without-keys', 'leave out keys and certificates; keep them elsewhere', false),
  )
    .addHelpText(
      'after',
      `
Whoever has the file can read the secrets of the service and sign in its name, unless --without-keys was said. Then keep
a copy of master.key, signing-keys and tls of the data folder elsewhere. Not in it: the config file, objects in stores of
others, uploads in parts that are on their way. It is a tar archive; "sha256sum -c SHA256SUMS" checks what it holds.`,
    )
    .action(async (_own: unknown, command: Command) => {
      const { create } = await import('./backup/create.ts');
      await create(command.optsWithGlobals<CreateOptions>());
    });
  backup
    .command('verify')
    .description('Check every byte of a backup, its database, and that no file is missing.')
    .argument('<file>', 'the backup')
    .option('--json', 'print JSON', false)
    .addHelpText(
      'after',
      `
Needs room for the database where the system keeps temporary files (TMPDIR). Exit codes: 0 it is whole, 7 it is not.`,
    )
    .action(async (file: string, { json }: { readonly json: boolean }) => {
      const { verify } = await import('./backup/verify.ts');
      await verify(file, { json });
    });
}
