/**
 * Proves that nothing leaves this machine: start, analysis and report run for real in a folder that is thrown away, watched
 * by the guard and, where the system lets us, in a network namespace that no way leads out of. Before, connections that are
 * tried on purpose show that both would have seen one.
 */

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { diagnose, type Diagnosis, messageOf } from '../../../app/doctor/diagnosis.ts';
import type { Settings } from '../../../config.ts';
import { ForensicsError } from '../../../errors.ts';
import { logVariable, readAttempts } from './attempts.ts';
import { judgeProof, judgeSettings, type Proof } from './judge.ts';
import type { ControlTold, TrialTold } from './told.ts';

const run = promisify(execFile);
const moduleNamed = (name: string) =>
  new URL(`./${name}${extname(import.meta.url)}`, import.meta.url);

/** @param onSlow - told before what takes some seconds. @throws {ForensicsError} `cancelled`. */
export async function proveAirgap(
  settings: Settings,
  onSlow: (what: string) => void,
): Promise<readonly Diagnosis[]> {
  const folder = mkdtempSync(join(tmpdir(), 'forensics-airgap-'));
  const left = new AbortController();
  const { signal } = left;
  // Ctrl-C ends the processes of the trial; we stay to clear up behind them.
  const leave = () => left.abort();
  process.on('SIGINT', leave);
  try {
    onSlow('Trying connections on purpose');
    const isIsolated = await canIsolate();
    const control = await checkControl({ folder, isIsolated, signal });
    if (control.state === 'failed') return [control];
    onSlow('Starting a server, analysing a picture, writing its report');
    return [
      control,
      judgeProof(await tryOut({ folder, isIsolated, signal })),
      judgeSettings(settings),
    ];
  } catch (error) {
    if (signal.aborted) throw new ForensicsError('cancelled', 'Cancelled.', { cause: error });
    const told = `The proof broke off. ${messageOf(error)}`;
    return [diagnose('airgap').failed(told, 'Try again when this machine has less to do.')];
  } finally {
    process.off('SIGINT', leave);
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

interface Place {
  readonly folder: string;
  readonly isIsolated: boolean;
  readonly signal: AbortSignal;
}

async function checkControl({ isIsolated, ...place }: Place): Promise<Diagnosis> {
  const { ok, failed } = diagnose('airgap control');
  const guarded = { ...place, name: 'control', isIsolated: false, isGuarded: true } as const;
  const { stdout, attempts } = await runModule(guarded);
  const told: ControlTold = JSON.parse(stdout);
  const seen = attempts.filter(({ act }) => act !== 'watched').length;
  const caught = `The guard caught ${seen} of ${told.attempts} connections that were tried on purpose`;
  const report = 'This proof tells nothing here; use a firewall, and tell us of it.';
  if (seen < told.attempts) return failed(`${caught}.`, report);
  if (!isIsolated) return ok(`${caught}.`);
  const unguarded = await runModule({ ...guarded, isIsolated, isGuarded: false });
  const bare: ControlTold = JSON.parse(unguarded.stdout);
  return (bare.noRoutes ?? 0) > 0
    ? ok(`${caught}; the kernel counted them as well.`)
    : failed(`${caught}; the kernel counted none.`, report);
}

async function tryOut(place: Place): Promise<Proof> {
  const trial = { ...place, name: 'trial', isGuarded: true } as const;
  const { stdout, attempts } = await runModule(trial);
  const told: TrialTold = JSON.parse(stdout);
  return { told, attempts, isIsolated: place.isIsolated };
}

interface ModuleRun extends Place {
  readonly name: 'control' | 'trial';
  readonly isGuarded: boolean;
}

const limitMs = 120_000;

async function runModule({ folder, name, isIsolated, isGuarded, signal }: ModuleRun) {
  const log = join(folder, `${name}.log`);
  writeFileSync(log, '', { mode: 0o600 });
  const guard = isGuarded ? ['--import', moduleNamed('guard').href] : [];
  const command = [process.execPath, ...guard, fileURLToPath(moduleNamed(name)), folder];
  const [file = '', ...args] = isIsolated ? isolated(command) : command;
  const env = bareEnvironment(folder, log);
  const { stdout } = await run(file, args, { env, timeout: limitMs, signal });
  return { stdout, attempts: readAttempts(log) };
}

/** Nobody's settings, and nobody's proxy. */
function bareEnvironment(folder: string, log: string): Record<string, string> {
  const { PATH = '', TMPDIR } = process.env;
  return { PATH, HOME: folder, [logVariable]: log, ...(TMPDIR === undefined ? {} : { TMPDIR }) };
}

// A new namespace has nothing but a loopback interface, which is down.
function isolated(command: readonly string[]): readonly string[] {
  return ['unshare', '-rn', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', ...command];
}

/** Linux, where users may make namespaces, and the tools are installed. */
async function canIsolate(): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const [file = '', ...args] = isolated(['true']);
  return run(file, args).then(
    () => true,
    () => false,
  );
}
