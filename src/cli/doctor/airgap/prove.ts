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
import type { Settings } from '../../../config/config.ts';
import { diagnose, type Diagnosis, messageOf } from '../../../doctor/diagnosis.ts';
import { ForensicsError } from '../../../errors.ts';
import {
  type Attempt,
  type ControlTold,
  logVariable,
  readAttempts,
  type Step,
  steps,
  type TrialTold,
} from './attempts.ts';

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

// What the trial has shown.

export interface Proof {
  readonly told: TrialTold;
  /** What watched processes tried; those that were watched, first of all. */
  readonly attempts: readonly Attempt[];
  readonly isIsolated: boolean;
}

export function judgeProof({ told, attempts, isIsolated }: Proof): Diagnosis {
  const { ok, failed } = diagnose('airgap');
  const tried = attempts.filter(({ act }) => act !== 'watched');
  const wall = 'Keep this user from the network by a firewall until that is cleared up.';
  if (tried.length > 0) {
    const named = tried.map(({ act, target }) => `${act} ${target}`);
    return failed(`It tried to: ${[...new Set(named)].join(', ')}.`, wall);
  }
  const missing: Step | undefined = steps.find((step) => !told.done.includes(step));
  if (missing !== undefined) {
    const why = told.failure ?? 'it ended early';
    return failed(
      `The ${missing} did not succeed, so nothing is proven: ${why}`,
      'Run "forensics doctor" without --airgap.',
    );
  }
  if (isIsolated && told.noRoutes !== 0) {
    return failed(
      `The kernel counted ${told.noRoutes ?? 'no'} packets that found no way out; native code sent them.`,
      wall,
    );
  }
  const where = isIsolated
    ? ', in a network namespace without a way out, whose kernel counted no packet that sought one'
    : '; no network namespace was to be had, so that native code went unwatched';
  const watched = attempts.length - tried.length;
  return ok(
    `Start, one analysis and one report tried to reach nobody: ${watched} processes were watched${where}.`,
  );
}

/** The trial takes nobody's settings: what they would call is told apart. */
export function judgeSettings(settings: Settings): Diagnosis {
  const { ok, warning } = diagnose('airgap settings');
  const callers = [
    'defaultStorage',
    'feedbackSmtpUrl',
    'feedbackWebhookUrl',
    'oidcIssuer',
  ] as const;
  const set = callers.filter((name) => settings[name] !== null);
  if (set.length === 0) return ok('None of them names another machine.');
  return warning(
    `With these settings the server calls other machines: ${set.join(', ')}.`,
    'Leave them out, or see that they name machines of your own network. Webhooks and stores of tenants do too.',
  );
}
