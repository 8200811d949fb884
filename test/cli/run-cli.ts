/** Runs the command line of the sources, as a process of its own, the way a user's shell does. */

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const entry = fileURLToPath(new URL('./entry.ts', import.meta.url));

/** Of nobody: what commands keep, such as the key that signs, must not get into the home of whoever runs the tests. */
const home = mkdtempSync(join(tmpdir(), 'forensics-home-'));
process.once('exit', () => rmSync(home, { recursive: true, force: true }));

export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunHow {
  readonly cwd?: string;
  readonly stdin?: Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  /** A shell that sets limits and then runs `"$@"`. */
  readonly shell?: string;
  /** Called with a way to signal the process, once it runs. */
  readonly onSpawn?: (kill: (signal: NodeJS.Signals) => void) => void;
  /** Called with each piece of stdout and a way to signal the process. */
  readonly onStdout?: (text: string, kill: (signal: NodeJS.Signals) => void) => void;
  /** Another entry than the sources of this checkout. */
  readonly entry?: string;
}

export function runCli(args: readonly string[], how: RunHow = {}): Promise<Ran> {
  const command = [process.execPath, how.entry ?? entry, ...args];
  const whole = how.shell === undefined ? command : ['bash', '-c', how.shell, 'bash', ...command];
  return new Promise((resolve, reject) => {
    const child = spawn(whole[0]!, whole.slice(1), {
      cwd: how.cwd,
      env: { PATH: process.env['PATH'], HOME: home, ...how.env },
    });
    const parts = { stdout: '', stderr: '' };
    how.onSpawn?.((signal) => child.kill(signal));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (parts.stderr += text));
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      parts.stdout += text;
      how.onStdout?.(text, (signal) => child.kill(signal));
    });
    child.stdin.on('error', reject);
    child.stdin.end(how.stdin);
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, ...parts }));
  });
}

/** An empty folder that goes away with the test. */
export async function emptyFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'forensics-cli-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}
