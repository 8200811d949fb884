/** `forensics worker`: more workers for the server of a data folder; they do not listen on any port. */

import type { Command } from 'commander';
import { openApp } from '../../app/app.ts';
import { readConfig } from '../../config/config.ts';
import { log, printable, switches } from '../output/print.ts';
import { outliveBrokenOutput } from '../output/terminal.ts';
import { createServerLog } from '../serve/server-log.ts';
import { logOpening } from '../target/local.ts';
import { type SettingFlags, stopRequested, withSettingFlags } from './serve.ts';

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
  outliveBrokenOutput();
  const serverLog = createServerLog();
  const logEvent = (what: string, facts: object) => {
    if (!switches().quiet) serverLog.write(`${printable(`${what}: ${JSON.stringify(facts)}`)}\n`);
  };
  const app = await openApp(settings, {
    onError: (what, error) => {
      const message = error instanceof Error ? error.message : 'failed';
      serverLog.write(`${printable(`${what}: ${message}`)}\n`);
    },
    onNotice: logEvent,
    onWarning: logEvent,
  });
  logOpening(app.database);
  try {
    await app.proveStorage();
    app.startWork();
    log(`Working on the data folder ${settings.dataDir}`);
    await stop;
    log('Stopping; a second signal stops at once.');
  } finally {
    await app.close();
  }
}
