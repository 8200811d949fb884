/** `forensics backup create`. */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { backUp } from '../../app/backup.ts';
import { readConfig, redacted } from '../../config.ts';
import { listenForStop } from '../analyze/stop.ts';
import { layCard } from '../card.ts';
import { type LocalOptions, withLocalCore } from '../local-core.ts';
import { packageVersion } from '../package-version.ts';
import { printable } from '../printable.ts';
import { printJson, say } from '../talk.ts';
import { columnsOf } from '../terminal.ts';
import { factsOf } from './facts.ts';
import { showSteps } from './steps.ts';

export interface CreateOptions extends LocalOptions {
  readonly out?: string;
  readonly withoutKeys: boolean;
  readonly json: boolean;
}

export async function create(options: CreateOptions): Promise<void> {
  const now = new Date();
  const stop = listenForStop();
  const steps = await showSteps({
    database: 'Copying the database',
    files: 'Copying the files it names',
  });
  try {
    const made = await withLocalCore(options, async (core) =>
      backUp(core, {
        out: fileFor(options.out ?? '.', now),
        withKeys: !options.withoutKeys,
        program: packageVersion(),
        settings: settingsGiven(options),
        now: () => now,
        onProgress: (step, share) => {
          stop.throwIfStopped();
          steps.at(step, share);
        },
      }),
    );
    steps.end();
    const { file, sizeBytes, manifest, manifestSha256 } = made;
    if (manifest.holdsKeys) say(keysWarning);
    if (options.json) return printJson({ file, sizeBytes, manifestSha256, manifest });
    const rows = factsOf({ manifest, manifestSha256 });
    process.stdout.write(layCard(`${printable(file)}: WRITTEN`, rows, columnsOf(process.stdout)));
  } finally {
    steps.end();
    stop.release();
  }
}

const keysWarning =
  'It holds the keys: whoever has it can read every secret of the service and sign evidence in its name. Keep it as you keep the data folder.';

function fileFor(out: string, at: Date): string {
  if (statSync(out, { throwIfNoEntry: false })?.isDirectory() !== true) return out;
  const stamp = at.toISOString().replace(/\.\d+/, '').replaceAll(/[:-]/g, '');
  return join(out, `forensics-backup-${stamp}.tar`);
}

/** What somebody will have to say again on another machine. The folder is where they restore to. */
function settingsGiven({ dataDir, config }: LocalOptions): Record<string, unknown> {
  const shown = redacted(
    readConfig({ flags: { dataDir }, ...(config === undefined ? {} : { configFile: config }) }),
  );
  const given = Object.entries(shown).filter(
    ([name, { origin }]) => origin !== 'default' && name !== 'dataDir',
  );
  return Object.fromEntries(given.map(([name, { value }]) => [name, value]));
}
