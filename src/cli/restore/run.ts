/** Restores, or tells what a restore would do, and then what is left for people to do. */

import { restore, tryRestore } from '../../app/backup.ts';
import type { Manifest } from '../../backup/manifest.ts';
import { migrations } from '../../db/migrations.ts';
import { factsOf } from '../backup/facts.ts';
import { watched } from '../backup/verify.ts';
import { layCard, listRows } from '../card.ts';
import { type LocalOptions, settingsFor } from '../local-core.ts';
import { printable } from '../printable.ts';
import { shellWord } from '../shell-word.ts';
import { printJson, say } from '../talk.ts';
import { columnsOf } from '../terminal.ts';

export interface RestoreOptions extends LocalOptions {
  readonly dryRun: boolean;
  readonly force: boolean;
  readonly keys?: string;
  readonly json: boolean;
}

export async function run(file: string, options: RestoreOptions): Promise<void> {
  const { dryRun, force, keys, json } = options;
  const settings = settingsFor(options);
  const { dataDir } = settings;
  const done = await watched(async (onProgress) => {
    const wish = {
      file,
      mayReplace: force,
      keysDir: keys ?? null,
      now: () => new Date(),
      onProgress,
    };
    return dryRun ? tryRestore(settings, wish) : restore(settings, wish);
  });
  const { manifest, manifestSha256, rows, aside } = done;
  const last = dryRun
    ? 'Nothing was changed. To restore it, leave out --dry-run.'
    : `Start it: forensics serve --data-dir ${shellWord(dataDir)}`;
  const steps = [...stepsAfter(manifest), last];
  if (json) {
    return printJson({ restored: !dryRun, dataDir, aside, manifestSha256, manifest, rows, steps });
  }
  const word = dryRun ? 'WOULD BE RESTORED' : 'RESTORED';
  const facts = [
    ...factsOf({ manifest, manifestSha256 }),
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
function stepsAfter({ schema, masterKey, settings }: Manifest): readonly string[] {
  const latest = migrations.length;
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
