/** `forensics doctor`: whether everything that the service needs is there and works, and what to do where not. */

import type { Command } from 'commander';
import type { Diagnosis, State } from '../app/doctor/diagnosis.ts';
import { exitCodes } from '../errors.ts';
import type { LocalOptions } from './local-core.ts';
import type { Style } from './terminal.ts';

interface DoctorOptions extends LocalOptions {
  readonly tenant?: string;
  readonly publicUrl?: string;
  readonly send: boolean;
  readonly quick: boolean;
  readonly json: boolean;
}

export function registerDoctor(program: Command): void {
  program
    .command('doctor')
    .description('Check what the service needs, and tell how to mend what is wrong.')
    .option('--tenant <name>', 'the store of this tenant alone (default: of every tenant)')
    .option('--public-url <url>', 'where clients reach the server, when not at host and port')
    .option('--quick', 'leave out the self-test, which examines two pictures', false)
    .option('--send', 'also send a message of trial to the webhook of each tenant', false)
    .option('--data-dir <dir>', 'the data folder')
    .option('--config <file>', 'the config file')
    .option('--json', 'print JSON', false)
    .addHelpText(
      'after',
      `
Writes, reads and deletes small objects in the stores, and brings an older database up to date as every
command does; changes nothing else.

Examples:
  $ forensics doctor
  $ forensics doctor --tenant acme --json

Exit codes: 0 nothing failed, 1 something did.`,
    )
    .action(async (_own: unknown, command: Command) => {
      await examine(command.optsWithGlobals<DoctorOptions>());
    });
}

async function examine({ tenant, json, send, quick, ...options }: DoctorOptions): Promise<void> {
  const { printJson, say, settingsFor } = await import('./local-core.ts');
  const { examineInstallation } = await import('../app/doctor.ts');
  const { publicUrlOf } = await import('./serve/listen.ts');
  const settings = settingsFor(options);
  const checks = await examineInstallation({
    settings,
    tenantName: tenant ?? null,
    publicUrl: new URL(publicUrlOf(settings)),
    isSending: send,
    isQuick: quick,
    now: () => new Date(),
    onSlow: (what) => say(`${what} ...`),
  });
  const isWell = checks.every(({ state }) => state !== 'failed');
  if (json) printJson({ ok: isWell, checks });
  else await printLines(checks);
  if (!isWell) process.exitCode = exitCodes.failure;
}

const styles: Readonly<Record<State, Style>> = { ok: 'green', warning: 'yellow', failed: 'red' };
const stateWidth = 9;

async function printLines(checks: readonly Diagnosis[]): Promise<void> {
  const { print } = await import('./local-core.ts');
  const { paint } = await import('./terminal.ts');
  const { printable } = await import('./printable.ts');
  const painted = paint(process.stdout);
  for (const { name, tenant, state, message, fix } of checks) {
    const what = tenant === null ? name : `${name} (${tenant})`;
    print(`${painted(styles[state], state.padEnd(stateWidth))}${what}: ${printable(message)}`);
    if (fix !== null) print(`${' '.repeat(stateWidth)}To mend: ${printable(fix)}`);
  }
}
