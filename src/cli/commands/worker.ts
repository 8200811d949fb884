/** `forensics worker`: additional workers for the servers of a data folder or database. They listen on no port. */

import type { Command } from 'commander';
import { openApp } from '../../service/app.ts';
import { readConfig } from '../../contract/config.ts';
import { usageError } from '../errors.ts';
import { ignoreBrokenOutput, printable } from '../output/terminal.ts';
import { createServerLog } from '../serve/server-log.ts';
import { logOpening } from '../connection/local.ts';
import { type SettingFlags, stopRequested, withSettingFlags } from './serve.ts';
import { calling } from '../options.ts';

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
    .action(calling(runWorker));
}

async function runWorker({ config, ...flags }: SettingFlags<'worker'>): Promise<void> {
  const { settings } = readConfig({ flags, configFile: config });
  if (settings.workers === 0) throw usageError('--workers must be at least 1.');
  const stop = stopRequested();
  ignoreBrokenOutput();
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
    serverLog.note('Stopping; press Ctrl-C or send the signal again to stop immediately.');
  } finally {
    await app.close();
  }
}
