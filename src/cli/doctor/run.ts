/** Looks where the options say, prints what was found, and chooses the exit code. */

import { examineInstallation } from '../../app/doctor.ts';
import type { Diagnosis, State } from '../../app/doctor/diagnosis.ts';
import { exitCodes } from '../../errors.ts';
import { settingsFor } from '../local-core.ts';
import { printable } from '../printable.ts';
import { publicUrlOf } from '../serve/listen.ts';
import { isRemote, type ServiceOptions } from '../service-options.ts';
import { print, printJson, say } from '../talk.ts';
import { paint, type Style } from '../terminal.ts';

export interface DoctorOptions extends ServiceOptions {
  readonly airgap: boolean;
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
  if (options.airgap) {
    const { proveAirgap } = await import('./airgap/prove.ts');
    return proveAirgap(settingsFor(options), tellSlow);
  }
  if (isRemote(options)) {
    const { examineServer } = await import('./server.ts');
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
    if (fix !== null) print(`${' '.repeat(stateWidth)}To mend: ${printable(fix)}`);
  }
}
