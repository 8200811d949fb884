/** `forensics worker`: more hands for the server of a data folder, without a door of their own. */

import type { Command } from 'commander';
import { type SettingFlags, withSettingFlags } from './serve/flags.ts';
import { say } from './talk.ts';

export function registerWorker(program: Command): void {
  const worker = program
    .command('worker')
    .description('Work on the analyses of a data folder, beside its server.');
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
  const { openApp } = await import('../app.ts');
  const { readConfig } = await import('../config.ts');
  const { tellUpgrade } = await import('./local-core.ts');
  const { stopRequested } = await import('./serve/stop.ts');
  const { printable } = await import('./printable.ts');
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
