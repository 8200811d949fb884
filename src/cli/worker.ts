/** `forensics worker`: more hands for the server of a data folder, without a door of their own. */

import type { Command } from 'commander';
import { say } from './talk.ts';

interface WorkerOptions {
  readonly dataDir?: string;
  readonly workers?: string;
  readonly config?: string;
}

export function registerWorker(program: Command): void {
  program
    .command('worker')
    .description('Work on the analyses of a data folder, beside its server.')
    .option('--data-dir <dir>', 'the data folder (default: forensics in $XDG_DATA_HOME)')
    .option('--workers <n>', 'child processes that examine pictures')
    .option('--config <file>', 'the config file')
    .addHelpText(
      'after',
      `
Examples:
  $ forensics worker
  $ forensics worker --workers 4`,
    )
    .action(async (_own: unknown, command: Command) => {
      await runWorker(command.optsWithGlobals<WorkerOptions>());
    });
}

async function runWorker({ config, ...flags }: WorkerOptions): Promise<void> {
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
