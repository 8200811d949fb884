/** `forensics worker`: more hands for the server of a data folder, without a door of their own. */

import type { Command } from 'commander';
import { openApp } from '../../app/app.ts';
import { readConfig } from '../../config/config.ts';
import { printable, say } from '../output/print.ts';
import { stopRequested } from './serve.ts';
import { tellUpgrade } from '../target/local.ts';
import { type SettingFlags, withSettingFlags } from './serve.ts';

export function defineWorker(worker: Command): void {
  withSettingFlags(worker, 'worker')
    .addHelpText(
      'after',
      `
Examples:
  $ forensics worker
  $ forensics worker --workers 4`,
    )
    .action(async (_own: unknown, command: Command) => {
      await runWorker(command.optsWithGlobals<SettingFlags<'worker'>>());
    });
}

async function runWorker({ config, ...flags }: SettingFlags<'worker'>): Promise<void> {
  const { settings } = readConfig({
    flags,
    ...(config === undefined ? {} : { configFile: config }),
  });
  const stop = stopRequested();
  const app = await openApp(settings, {
    onError: (what, error) => {
      const message = error instanceof Error ? error.message : 'failed';
      process.stderr.write(`${printable(`${what}: ${message}`)}\n`);
    },
    onNotice: tell,
    onWarning: tell,
  });
  tellUpgrade(app.database);
  try {
    await app.proveStorage();
    app.startWork();
    say(`Working on the data folder ${settings.dataDir}`);
    await stop;
    say('Stopping; a second signal stops at once.');
  } finally {
    await app.close();
  }
}

function tell(what: string, facts: object): void {
  say(`${what}: ${JSON.stringify(facts)}`);
}
