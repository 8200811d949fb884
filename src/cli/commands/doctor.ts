/** `forensics doctor`: whether everything that the service needs is there and works, and what to do where not. */

import { type Command, Option } from 'commander';
import type { Diagnosis, State } from '../../doctor/diagnosis.ts';
import { examineInstallation } from '../../doctor/doctor.ts';
import { exitCodes } from '../../errors.ts';
import { examineServer } from '../doctor/remote-server.ts';
import { print, printable, printJson, say } from '../output/print.ts';
import { paint, type Style } from '../output/terminal.ts';
import { publicUrlOf } from '../serve/listen.ts';
import { settingsFor } from '../target/local.ts';
import { isRemote, type ServiceOptions, withServerOptions } from '../target/server.ts';

export function defineDoctor(doctor: Command): void {
  doctor
    .option('--quick', 'leave out the self-test, which examines two pictures', false)
    .addOption(
      new Option('--send', 'also send a test message to the webhook of each tenant')
        .conflicts(['url', 'profile'])
        .default(false),
    )
    .option('--tenant <name>', 'only this tenant (default: every tenant)')
    .option('--public-url <url>', 'where clients reach the server, when not at host and port')
    .option('--data-dir <dir>', 'the data folder')
    .option('--config <file>', 'the config file')
    .option('--json', 'print JSON', false);
  withServerOptions(doctor)
    .addHelpText(
      'after',
      `
Looks at the data folder of this machine or, with --url or --profile, at a server as it is seen from here. Writes, reads and
deletes small objects in the stores, and brings an older database up to date as every command does; changes nothing else.

Examples:
  $ forensics doctor
  $ forensics doctor --tenant acme --json
  $ forensics doctor --url https://forensics.example:8443 --ca ca.pem --tenant acme

Exit codes: 0 nothing failed, 1 something did.`,
    )
    .action(async (_own: unknown, command: Command) => {
      await runDoctor(command.optsWithGlobals<DoctorOptions>());
    });
}

// Looks where the options say, prints what was found, and chooses the exit code.

export interface DoctorOptions extends ServiceOptions {
  readonly quick: boolean;
  readonly send: boolean;
  readonly tenant?: string;
  readonly publicUrl?: string;
}

export async function runDoctor(options: DoctorOptions): Promise<void> {
  const checks = await look(options);
  const isWell = checks.every(({ state }) => state !== 'failed');
  if (options.json) printJson({ ok: isWell, checks });
  else printLines(checks);
  if (!isWell) process.exitCode = exitCodes.failure;
}

async function look(options: DoctorOptions): Promise<readonly Diagnosis[]> {
  if (isRemote(options)) {
    return examineServer(options);
  }
  const settings = settingsFor(options);
  return examineInstallation({
    settings,
    tenantName: options.tenant ?? null,
    publicUrl: new URL(publicUrlOf(settings)),
    isSending: options.send,
    isQuick: options.quick,
    now: () => new Date(),
    onSlow: tellSlow,
  });
}

function tellSlow(what: string): void {
  say(`${what} ...`);
}

const styles: Readonly<Record<State, Style>> = { ok: 'green', warning: 'yellow', failed: 'red' };
const stateWidth = 9;

function printLines(checks: readonly Diagnosis[]): void {
  const painted = paint(process.stdout);
  for (const { name, tenant, state, message, fix } of checks) {
    const what = tenant === null ? name : `${name} (${tenant})`;
    print(`${painted(styles[state], state.padEnd(stateWidth))}${what}: ${printable(message)}`);
    if (fix !== null) print(`${' '.repeat(stateWidth)}Fix: ${printable(fix)}`);
  }
}
