/** `forensics restore`: a data folder from a backup. */

import type { Command } from 'commander';
import { withLocalOnlyOptions } from './local-only.ts';
import { named } from './option-values.ts';
import type { RestoreOptions } from './restore/run.ts';

export function registerRestore(program: Command): void {
  withLocalOnlyOptions(
    program
      .command('restore')
      .description('Make a data folder from a backup, on this machine or another.')
      .argument('<file>', 'a backup that "forensics backup create" made')
      .option('--dry-run', 'check it and tell what would be done; change nothing', false)
      .option('--force', 'set aside what the data folder holds', false)
      .option('--keys <dir>', 'folder with the keys of a backup without them', named),
  )
    .addHelpText(
      'after',
      `
Every byte is checked before anything is put in its place, and a restore that is cut off leaves the old content or the
new. Nothing is deleted: --force moves what was there into the folder before-restore-<time> of the data folder.

Examples:
  $ forensics restore forensics-backup-20261121T213005Z.tar --dry-run
  $ forensics restore forensics-backup-20261121T213005Z.tar --data-dir /var/lib/forensics`,
    )
    .action(async (file: string, _own: unknown, command: Command) => {
      const { run } = await import('./restore/run.ts');
      await run(file, command.optsWithGlobals<RestoreOptions>());
    });
}
