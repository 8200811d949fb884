/** `forensics doctor`: checks that everything the service needs works, and says how to fix what does not. */

import type { Diagnosis, State } from '../../ops/doctor/installation.ts';
import { examineInstallation } from '../../ops/doctor/doctor.ts';
import { exitCodes } from '../../contract/errors.ts';
import { log, paint, print, printable, printJson, type Style } from '../output/terminal.ts';
import { serverUrl } from '../serve/listen.ts';
import { now, settingsFor } from '../connection/local.ts';
import type { Command, LocalOptions, TextOptions } from '../options.ts';

export function defineDoctor(doctor: Command): void {
  doctor
    .localOptions()
    .option('--quick', 'skip the self-test, which examines two pictures', false)
    .option('--tenant <name>', 'only this tenant (default: every tenant)')
    .option(
      '--public-url <url>',
      'the address at which clients reach the server, if it differs from host and port',
    )
    .helpAfter(`
Checks the data folder on this machine. It writes, reads and deletes small objects in the stores and, like every command,
upgrades an older database; it changes nothing else.`)
    .examples('', '--tenant acme --json')
    .helpAfter(`
Exit codes: 0 no check failed, 1 at least one did.`)
    .action(runDoctor);
}

interface DoctorOptions extends LocalOptions, TextOptions<'tenant' | 'publicUrl'> {
  readonly quick: boolean;
}

async function runDoctor(options: DoctorOptions): Promise<void> {
  const settings = settingsFor(options);
  const checks = await examineInstallation({
    settings,
    tenantName: options.tenant ?? null,
    publicUrl: new URL(serverUrl(settings)),
    isQuick: options.quick,
    now,
    onSlow: (what) => log(`${what} ...`),
  });
  const isWell = checks.every(({ state }) => state !== 'failed');
  if (options.json) printJson({ ok: isWell, checks });
  else checks.forEach(printCheck);
  if (!isWell) process.exitCode = exitCodes.failure;
}

const styles: Readonly<Record<State, Style>> = { ok: 'green', warning: 'yellow', failed: 'red' };
const stateWidth = 9;

function printCheck({ name, tenant, state, message, fix }: Diagnosis): void {
  const what = tenant === null ? name : `${name} (${tenant})`;
  const label = paint(process.stdout)(styles[state], state.padEnd(stateWidth));
  print(`${label}${what}: ${printable(message)}`);
  if (fix !== null) print(`${' '.repeat(stateWidth)}Fix: ${printable(fix)}`);
}
