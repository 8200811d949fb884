/** Administration commands that are killed between their first change on the disk and their end. */

import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { runCli, spawnCli } from '../../test/cli/run-cli.ts';
import { demand, type Proof } from './proof.ts';

export interface Killing extends Pick<Proof, 'random'> {
  readonly dataDir: string;
  readonly counts: Map<string, number>;
  /** By act: ms from its first change on the disk to its end. */
  readonly lasts: Map<string, number>;
}

export const leaseSeconds = 2;

export const environment = {
  FORENSICS_LEASE_SECONDS: String(leaseSeconds),
  FORENSICS_WEBHOOK_ALLOW: '127.0.0.0/8',
  FORENSICS_LOG_LEVEL: 'warn',
};

/** What is left must not pass for a backup. */
export async function killBackup(scene: Killing): Promise<void> {
  const folder = emptied(`${scene.dataDir}-backups`);
  const out = join(folder, 'whole.tar');
  const args = ['backup', 'create', '--out', out, '--data-dir', scene.dataDir];
  await killed(scene, 'backups', { args, folder });
  if (!existsSync(out)) return;
  const verified = await runCli(['backup', 'verify', out]);
  demand(verified.code === 0, `A truncated backup is in its place: ${verified.stderr}`);
}

/** Interrupted, then repeated: the folder must be that of the backup. */
export async function killRestore(scene: Killing): Promise<void> {
  const out = join(emptied(`${scene.dataDir}-to-restore`), 'whole.tar');
  const folder = emptied(`${scene.dataDir}-restored`);
  const made = await runCli(['backup', 'create', '--out', out, '--data-dir', scene.dataDir]);
  demand(made.code === 0, `A backup of a working server failed: ${made.stderr}`);
  await killed(scene, 'restores', { args: ['restore', out, '--data-dir', folder], folder });
  if (!existsSync(join(folder, 'forensics.db')) || existsSync(join(folder, '.restoring'))) {
    const again = await runCli(['restore', out, '--data-dir', emptied(folder)]);
    demand(again.code === 0, `A restore after an interrupted one failed: ${again.stderr}`);
  }
  const audit = await runCli(['audit', 'verify', '--data-dir', folder]);
  demand(audit.code === 0, `The audit log of a restored folder is not intact: ${audit.stderr}`);
}

/** With the server stopped. Whichever key is the current one then, the folder must open. */
export async function killRotation(scene: Killing): Promise<void> {
  const folder = scene.dataDir;
  await killed(scene, 'key rotations', {
    args: ['master-key', 'rotate', '--data-dir', folder],
    folder,
  });
}

function emptied(folder: string): string {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}

/** The share that is not killed, to measure how long they take as the folder grows. */
const measuredShare = 0.15;

interface Killable {
  readonly args: readonly string[];
  /** Changed by the command as soon as it begins its work, and by nothing else. */
  readonly folder: string;
}

/** At a random moment between its first change on the disk and its end. */
async function killed(scene: Killing, what: string, { args, folder }: Killable): Promise<void> {
  const changes = watch(folder);
  const hasBegun = once(changes, 'change');
  const running = spawnCli(args, { env: environment });
  await Promise.race([running, hasBegun]);
  changes.close();
  const begunMs = performance.now();
  const lastsMs = scene.lasts.get(what);
  const isLetThrough = scene.random() < measuredShare || lastsMs === undefined;
  const pause = setTimeout(isLetThrough ? longestActMs : 0.9 * lastsMs * scene.random(), false);
  const isEnded = await Promise.race([running.then(() => true), pause]);
  if (isEnded) {
    scene.lasts.set(what, performance.now() - begunMs);
    demand((await running).exitCode === 0, `${args.join(' ')}: ${(await running).stderr}`);
  }
  count(scene, isEnded ? `${what} that ended before` : `kills of ${what}`);
  running.kill('SIGKILL');
  await running;
}

const longestActMs = 60_000;

export function count({ counts }: Killing, what: string, many = 1): void {
  counts.set(what, (counts.get(what) ?? 0) + many);
}

/** Empty if the process has ended, or does not exist yet. Linux only. */
export function childrenOf(pid: number | undefined): readonly number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return text.split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

export function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended by itself in the meantime.
  }
}
