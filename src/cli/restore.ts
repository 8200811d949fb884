/** `forensics restore`: a data folder from a backup, or what a restore would do; then what is left for people to do. */

import type { Command } from 'commander';
import type { Manifest } from '../backup/manifest.ts';
import { describeBackup, withProgress } from './backup.ts';
import { layCard, listRows } from './card.ts';
import type { LocalOptions } from './local-core.ts';
import { withLocalOnlyOptions } from './local-only.ts';
import { named } from './option-values.ts';
import { printable } from './printable.ts';
import { shellWord } from './shell-word.ts';
import { printJson, say } from './talk.ts';
import { columnsOf } from './terminal.ts';

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
    .action(async (file: string, _own: unknown, command: Command) =>
      restore(file, command.optsWithGlobals<RestoreOptions>()),
    );
}

interface RestoreOptions extends LocalOptions {
  readonly dryRun: boolean;
  readonly force: boolean;
  readonly keys?: string;
  readonly json: boolean;
}

async function restore(file: string, options: RestoreOptions): Promise<void> {
  const { dryRun, force, keys, json } = options;
  const [backups, { settingsFor }, { migrations }] = await Promise.all([
    import('../app/backup.ts'),
    import('./local-core.ts'),
    import('../db/migrations.ts'),
  ]);
  const settings = settingsFor(options);
  const { dataDir } = settings;
  const done = await withProgress(async (show) => {
    const wish = {
      file,
      mayReplace: force,
      keysDir: keys ?? null,
      now: () => new Date(),
      onProgress: (read: number, all: number) => show('Reading the backup', read / all),
    };
    return dryRun ? backups.tryRestore(settings, wish) : backups.restore(settings, wish);
  });
  const { manifest, manifestSha256, rows, aside } = done;
  const last = dryRun
    ? 'Nothing was changed. To restore it, leave out --dry-run.'
    : `Start it: forensics serve --data-dir ${shellWord(dataDir)}`;
  const steps = [...stepsAfter(manifest, migrations.length), last];
  if (json) {
    return printJson({ restored: !dryRun, dataDir, aside, manifestSha256, manifest, rows, steps });
  }
  const word = dryRun ? 'WOULD BE RESTORED' : 'RESTORED';
  const facts = [
    ...describeBackup({ manifest, manifestSha256 }),
    ...(dryRun ? listRows('Rows', [printable(rowsText(rows))]) : []),
    ...listRows('Set aside', aside === null ? [] : [`what was there before, in ${aside}`]),
  ];
  process.stdout.write(layCard(`${printable(dataDir)}: ${word}`, facts, columnsOf(process.stdout)));
  for (const step of steps) say(step);
}

function rowsText(rows: Readonly<Record<string, number>>): string {
  const filled = Object.entries(rows).filter(([, count]) => count > 0);
  return filled.map(([table, count]) => `${table} ${count}`).join(', ');
}

/** What no program can know or do for them. */
function stepsAfter({ schema, masterKey, settings }: Manifest, latest: number): readonly string[] {
  const given = Object.entries(settings).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  const isOlder = schema < latest;
  return [
    'Keep the server that it comes from stopped: two of them would both send webhooks and both delete by their retention.',
    ...(isOlder
      ? [
          `The first start brings its database from schema ${schema} to ${latest}, after a copy of it.`,
        ]
      : []),
    ...(masterKey.place === 'environment'
      ? ['Keep FORENSICS_MASTER_KEY set for the server, as it is now.']
      : []),
    ...(given.length === 0
      ? []
      : [`It was told these settings; tell it again what still holds: ${given.join(', ')}.`]),
    'Where clients reach it under another name than before, set publicUrl; the authority of its certificate (tls/ca.pem) stays the same.',
  ];
}
