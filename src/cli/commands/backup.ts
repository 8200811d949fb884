/** `forensics backup` and `restore`: back up the data folder into one file, check such a file, and restore from it. */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '../../ops/backup/contents.ts';
import type { Rehearsal } from '../../ops/backup/restore.ts';
import type { Verified } from '../../ops/backup/verify.ts';
import { readConfig, redacted } from '../../contract/config.ts';
import { packageVersion } from '../../version.ts';
import { listenForStop } from '../analyze/batch.ts';
import { type Command, type LocalOptions, named } from '../options.ts';
import { listRows, printCard, type Row } from '../output/layout.ts';
import {
  canAnimate,
  log,
  printable,
  printJson,
  shellWord,
  startSpinner,
  switches,
} from '../output/terminal.ts';

export function defineBackup(backup: Command): void {
  backup.examples(
    'create --out /mnt/backups',
    'verify /mnt/backups/forensics-backup-20261121T213005Z.tar',
  );
  const does = 'Write the database, pictures, reports, keys and models to one file.';
  backup
    .subcommand('create', does)
    .option('-o, --out <path>', 'the file, or the folder for it (default: this folder)', named)
    .option('--without-keys', 'leave out keys and certificates; store them elsewhere', false)
    .localOptions()
    .helpAfter(`
Anyone who has the file can read the service's secrets and sign in its name, unless you use --without-keys. In that
case, keep copies of master.key, signing-keys and tls from the data folder elsewhere. Not included: the config file, and
objects in external stores. It is a tar archive; "sha256sum -c SHA256SUMS" checks its contents.`)
    .examples('', '--out /mnt/backups --json')
    .action(create);
  backup
    .subcommand(
      'verify',
      'Check every byte of a backup and its database, do a trial restore, and examine a picture in it.',
    )
    .argument('<file>', 'the backup')
    .option('--json', 'print JSON', false)
    .helpAfter(`
Needs as much space in the folder for temporary files (TMPDIR) as the backup takes, and leaves nothing there. Exit codes:
0 intact, 7 damaged.`)
    .examples(
      'forensics-backup-20261121T213005Z.tar',
      'forensics-backup-20261121T213005Z.tar --json',
    )
    .action(verify);
}

async function create(
  options: LocalOptions & { readonly out?: string; readonly withoutKeys: boolean },
): Promise<void> {
  const [{ backUp }, { withLocalCore }] = await Promise.all([
    import('../../ops/backup/backup.ts'),
    import('../connection/local.ts'),
  ]);
  const now = new Date();
  const settings = changedSettings(options);
  const isFolder = statSync(options.out ?? '.', { throwIfNoEntry: false })?.isDirectory() === true;
  const stamp = now.toISOString().replace(/\.\d+/, '').replaceAll(/[:-]/g, '');
  const out = join(options.out ?? '.', isFolder ? `forensics-backup-${stamp}.tar` : '');
  const made = await withProgress(async (show) =>
    withLocalCore(options, async (core) =>
      backUp(core, {
        out,
        withKeys: !options.withoutKeys,
        program: packageVersion(),
        settings,
        now: () => now,
        onProgress: (share) => show('Copying the data folder', share),
      }),
    ),
  );
  const { file, sizeBytes, manifest, manifestSha256, isRecorded } = made;
  if (!isRecorded) log('The audit log does not record this backup, because the disk is full.');
  if (manifest.holdsKeys) {
    log(
      'The backup contains the keys: anyone who has it can read every secret of the service and sign evidence in its name. Protect it like the data folder.',
    );
  }
  if (options.json) return printJson({ file, sizeBytes, manifestSha256, manifest });
  printCard(`${printable(file)}: WRITTEN`, describeBackup({ manifest, manifestSha256 }));
}

/** Settings other than the data folder that the user has to make again on a different machine. */
function changedSettings({ dataDir, config }: LocalOptions): Record<string, unknown> {
  const shown = redacted(readConfig({ flags: { dataDir }, configFile: config }));
  const given = Object.entries(shown).filter(
    ([name, { origin }]) => origin !== 'default' && name !== 'dataDir',
  );
  return Object.fromEntries(given.map(([name, { value }]) => [name, value]));
}

async function verify(file: string, { json }: { readonly json: boolean }): Promise<void> {
  const [{ isDamaged, verifyBackup }, { canRehearse, rehearse }] = await Promise.all([
    import('../../ops/backup/verify.ts'),
    import('../../ops/backup/restore.ts'),
  ]);
  const { rehearsal, ...verified } = await withProgress(async (show) => {
    const found = await verifyBackup(file, (done, all) => show('Reading the backup', done / all));
    const { manifest, problems } = found;
    if (manifest === null || problems.length > 0 || !canRehearse(manifest)) {
      return { ...found, rehearsal: undefined };
    }
    const onProgress = (done: number, all: number) => show('Doing a trial restore', done / all);
    return { ...found, rehearsal: await rehearse(file, manifest, onProgress) };
  });
  const { problems } = verified;
  const isWhole = problems.length === 0;
  if (json) printJson({ whole: isWhole, ...verified, rehearsal });
  else {
    printCard(`${printable(file)}: ${isWhole ? 'INTACT' : 'DAMAGED'}`, [
      ...listRows('Wrong', problems.map(printable)),
      ...describeBackup(verified),
      ...listRows('Tested', isWhole ? [describeRehearsal(rehearsal)] : []),
    ]);
  }
  if (!isWhole) throw isDamaged(problems);
}

/** Shows progress on a terminal; Ctrl-C stops cleanly. @param act - calls `show` with a step and its share, 0..1. */
async function withProgress<T>(
  act: (show: (step: string, share: number) => void) => Promise<T>,
): Promise<T> {
  const stop = listenForStop();
  const isShown = !switches().quiet && canAnimate(process.stderr);
  const spinner = isShown ? await startSpinner() : null;
  let shown = '';
  try {
    return await act((step, share) => {
      stop.throwIfStopped();
      if (spinner === null) return;
      spinner.text = `${step}: ${Math.floor(100 * share)}%`;
      // Rendered at once, because a step may end before the spinner's next frame.
      if (step !== shown) spinner.render();
      shown = step;
    });
  } finally {
    spinner?.stop();
    stop.release();
  }
}

function describeBackup(of: Pick<Verified, 'manifest' | 'manifestSha256'>): readonly Row[] {
  const { manifest, manifestSha256 } = of;
  if (manifest === null) return [];
  const { createdAt, program, schema, files, bytes, rows } = manifest;
  const megabytes = Math.max(0.1, bytes / 1e6);
  const size = bytes < 1e9 ? `${megabytes.toFixed(1)} MB` : `${(megabytes / 1000).toFixed(1)} GB`;
  const tenants = counted(rows['tenants'], 'tenant');
  return [
    ['Created', `${printable(createdAt)}, by version ${printable(program)}`],
    ['Holds', `${tenants}, ${counted(rows['analyses'], 'analysis', 'analyses')}`],
    ['Files', `${counted(files, 'file')}, ${size}`],
    ['Database', `schema ${schema}`],
    ['Keys', describeKeys(manifest)],
    ...absentRows(manifest),
    ...listRows('Elsewhere', manifest.elsewhere.map(describeStore)),
    ['SHA-256', `${manifestSha256} (of its manifest)`],
  ];
}

function describeRehearsal(rehearsal: Rehearsal | undefined): string {
  if (rehearsal === undefined) return 'not restored: that needs the keys that are stored elsewhere';
  if (rehearsal === null) {
    return 'restored and opened; it contains no examined picture to examine again';
  }
  const { analysisId, verdict } = rehearsal;
  return `restored and opened; examining the picture of analysis ${analysisId} gave: ${verdict}`;
}

function describeKeys({ holdsKeys, masterKey }: Manifest): string {
  if (masterKey.place !== 'environment') {
    return holdsKeys ? 'master key, signing keys, certificates' : 'none: they are stored elsewhere';
  }
  const others = holdsKeys ? 'the other keys are' : 'nor are the other keys';
  return `the master key is not included (FORENSICS_MASTER_KEY), ${others}`;
}

function absentRows({ absent }: Manifest): readonly Row[] {
  if (absent.length === 0) return [];
  const originals = absent.filter(({ isEvidence }) => isEvidence).length;
  const text = `${counted(absent.length, 'object')} in the database ${absent.length === 1 ? 'was' : 'were'} not in the store: not uploaded yet, or deleted`;
  const more = originals === 0 ? '' : `; of these, ${counted(originals, 'examined original')}`;
  return [['Absent', text + more]];
}

function describeStore({ type, place, analyses }: Manifest['elsewhere'][number]): string {
  const where = printable(place.slice(type.length + 1));
  return `${counted(analyses, 'analysis', 'analyses')} with objects in ${where}, which are not in the backup`;
}

function counted(count = 0, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

export function defineRestore(command: Command): void {
  command
    .argument('<file>', 'a backup from "forensics backup create"')
    .option('--keys <dir>', 'folder with the keys, for a backup made without them', named)
    .localOptions()
    .helpAfter(`
The data folder must be new or empty. Every byte is checked before anything is put in place; after an interrupted restore,
no command opens the folder.`)
    .examples(
      'forensics-backup-20261121T213005Z.tar',
      'forensics-backup-20261121T213005Z.tar --data-dir /var/lib/forensics',
    )
    .action(restore);
}

async function restore(file: string, options: LocalOptions & { readonly keys?: string }) {
  const { keys, json } = options;
  const [{ restore: restoreFile }, { settingsFor }, { currentSchema }] = await Promise.all([
    import('../../ops/backup/restore.ts'),
    import('../connection/local.ts'),
    import('../../ports/db/migrations.ts'),
  ]);
  const settings = settingsFor(options);
  const { dataDir } = settings;
  const { manifest, manifestSha256, rows } = await withProgress(async (show) =>
    restoreFile(settings, {
      file,
      keysDir: keys ?? null,
      onProgress: (read, all) => show('Reading the backup', read / all),
    }),
  );
  const steps = [
    ...stepsAfter(manifest, currentSchema('sqlite')),
    `Start it: forensics serve --data-dir ${shellWord(dataDir)}`,
  ];
  if (json) return printJson({ restored: true, dataDir, manifestSha256, manifest, rows, steps });
  printCard(`${printable(dataDir)}: RESTORED`, describeBackup({ manifest, manifestSha256 }));
  for (const step of steps) log(step);
}

function stepsAfter({ schema, masterKey, settings }: Manifest, latest: number): readonly string[] {
  const given = Object.entries(settings).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  return [
    'Keep the original server stopped: two servers would both send webhooks and both delete expired data.',
    schema < latest &&
      `The first start copies the database and upgrades it from schema ${schema} to ${latest}.`,
    masterKey.place === 'environment' &&
      'Keep FORENSICS_MASTER_KEY set for the server, as it is now.',
    given.length > 0 &&
      `The original server had these settings; set again any that still apply: ${given.join(', ')}.`,
    'If clients will use a new host name, set publicUrl; the certificate authority (tls/ca.pem) stays the same.',
  ].filter((step) => step !== false);
}
