/** `forensics worker`: more workers for the servers of a data folder or a database; they do not listen on any port. */

import type { Command } from 'commander';
import { openApp } from '../../service/app.ts';
import { readConfig } from '../../contract/config.ts';
import { outliveBrokenOutput, usageError } from '../errors.ts';
import { printable } from '../output/terminal.ts';
import { createServerLog } from '../serve/server-log.ts';
import { logOpening } from '../connection/local.ts';
import { type SettingFlags, stopRequested, withSettingFlags } from './serve.ts';

export function defineWorker(worker: Command): void {
  withSettingFlags(worker, 'worker')
    .addHelpText(
      'after',
      `
Examples:
  $ forensics worker
  $ forensics worker --workers 4
  $ FORENSICS_DATABASE_URL=postgres://forensics@db.example/forensics forensics worker`,
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
  if (settings.workers === 0)
    throw usageError('--workers must be 1 or more: a worker examines pictures.');
  const stop = stopRequested();
  outliveBrokenOutput();
  const serverLog = createServerLog();
  const logEvent = (what: string, facts: object) =>
    serverLog.note(`${what}: ${JSON.stringify(facts)}`);
  const app = await openApp(settings, {
    onError: (what, error) => {
      const message = error instanceof Error ? error.message : 'failed';
      serverLog.write(`${printable(`${what}: ${message}`)}\n`);
    },
    onNotice: logEvent,
    onWarning: logEvent,
  });
  logOpening(app.core.database, serverLog.note);
  try {
    await app.storage.prove();
    app.operations.start();
    serverLog.note(
      settings.databaseUrl === null
        ? `Working on the data folder ${settings.dataDir}`
        : 'Working on the jobs in the database',
    );
    await stop;
    serverLog.note('Stopping; a second signal stops at once.');
  } finally {
    await app.close();
  }
}
