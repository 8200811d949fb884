/**
 * Starts a server in a fresh folder, has it analyse a drawn picture, and writes the report of it: with the commands that
 * people use, each a process. Says on standard output how far it came.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { shippedTrialImage } from '../../../app/first-run.ts';
import { countNoRoutes, type Step, type TrialTold } from './attempts.ts';

const command = fileURLToPath(new URL(`./command${extname(import.meta.url)}`, import.meta.url));
const [, , folder = ''] = process.argv;

const done: Step[] = [];
const failure = await goThrough().then(
  () => null,
  (error: unknown) => (error instanceof Error ? error.message : String(error)),
);
const told: TrialTold = { done, failure, noRoutes: countNoRoutes() };
process.stdout.write(`${JSON.stringify(told)}\n`);

async function goThrough(): Promise<void> {
  const dataDir = join(folder, 'data');
  const server = start(['serve', '--json', '--data-dir', dataDir, '--port', '0', '--workers', '1']);
  // Whoever gives us up must not leave a server behind.
  process.once('SIGTERM', () => {
    server.kill('SIGTERM');
    process.exit(1);
  });
  try {
    const { url, caPath, apiKey, tenantName } = await readyLine(server);
    done.push('start');
    const there = ['--url', url, '--ca', caPath, '--tenant', tenantName];
    const how = ['--tier', 'forensicReporting', '--jsonl', '--out', join(folder, 'results')];
    const analyze = ['analyze', shippedTrialImage, ...there, ...how];
    const record: unknown = JSON.parse(await finish(start(analyze, { FORENSICS_API_KEY: apiKey })));
    done.push('analysis');
    const id = String(Object(record)['analysisId']);
    const here = ['--tenant', tenantName, '--data-dir', dataDir];
    await finish(start(['report', id, ...here, '--out', join(folder, 'evidence.zip')]));
    done.push('report');
  } finally {
    server.kill('SIGTERM');
    await ended(server);
  }
}

function start(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): ChildProcess {
  const env = { ...process.env, ...environment };
  return spawn(process.execPath, [command, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env });
}

/** What it printed. @throws {Error} with the last line that it said, when it failed. */
async function finish(child: ChildProcess): Promise<string> {
  const [stdout, stderr] = await Promise.all([text(child.stdout!), text(child.stderr!)]);
  if ((await ended(child)) === 0) return stdout;
  throw lastLineOf(stderr);
}

interface Ready {
  readonly url: string;
  readonly caPath: string;
  readonly apiKey: string;
  readonly tenantName: string;
}

async function readyLine(server: ChildProcess): Promise<Ready> {
  let said = '';
  server.stderr!.setEncoding('utf8').on('data', (more: string) => (said += more));
  const lines = createInterface({ input: server.stdout! });
  const first = once(lines, 'line').then(([line]): Ready => JSON.parse(String(line)));
  const early = once(server, 'close').then(async () => Promise.reject(lastLineOf(said)));
  return Promise.race([first, early]);
}

function lastLineOf(said: string): Error {
  return new Error(said.trim().split('\n').at(-1));
}

async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}
