/**
 * Runs the command line: the sources in this process where a test is about output and exit codes,
 * the built program in its own process where it is about signals, pipes or start-up.
 */

import { rmSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect } from 'vitest';
import { newFolder } from '../fixtures/folder.ts';
import { main } from '../../src/cli/main.ts';
import { createMutex } from '../../src/waiting.ts';
import { isBuilt } from '../built.ts';
import { databaseIn } from '../fixtures/postgres.ts';

/** As built by `npm run build`: it starts in a quarter of the time that the sources need. */
export const entry = fileURLToPath(new URL('../../bin/forensics.js', import.meta.url));

if (!isBuilt) {
  process.stderr.write(
    'src is newer than dist: what is started is out of date until npm run build.\n',
  );
}

/** A temporary home, so that saved files such as signing keys stay out of the home of the user who runs the tests. */
const home = newFolder();
process.once('exit', () => rmSync(home, { recursive: true, force: true }));

/** The environment in which the program starts. */
export const bareEnvironment = {
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  // Shares compiled code between starts, which halves their duration.
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url)),
};

function environmentOf(args: readonly string[]): Readonly<Record<string, string>> {
  const at = args.indexOf('--data-dir');
  return { ...bareEnvironment, ...databaseIn(at === -1 ? undefined : args[at + 1]) };
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunHow {
  readonly cwd?: string;
  readonly stdin?: Uint8Array;
  /** Added to a bare environment; nothing is inherited from the test run. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const oneAtATime = createMutex();

/** Runs a command in this process. One at a time: folder, environment and streams belong to the process. */
export function runCli(args: readonly string[], how: RunHow = {}): Promise<Ran> {
  return oneAtATime('process', async () => inThisProcess(args, how));
}

/** The same with the test's environment. */
export function runHere(args: readonly string[]): Promise<Ran> {
  return runCli(args, { env: process.env });
}

async function inThisProcess(args: readonly string[], { cwd, stdin, env }: RunHow): Promise<Ran> {
  const before = { cwd: process.cwd(), env: { ...process.env } };
  const output = { stdout: '', stderr: '' };
  const restores = [
    replaceStream(
      'stdout',
      collector((text) => (output.stdout += text)),
    ),
    replaceStream(
      'stderr',
      collector((text) => (output.stderr += text)),
    ),
    replaceStream('stdin', Readable.from(stdin === undefined ? [] : [stdin])),
  ];
  setEnvironment({ ...environmentOf(args), ...env });
  if (cwd !== undefined) process.chdir(cwd);
  try {
    return { code: await main(['node', 'forensics', ...args]), ...output };
  } finally {
    process.chdir(before.cwd);
    setEnvironment(before.env);
    for (const restore of restores) restore();
    // The command's exit code would otherwise become that of this process.
    process.exitCode = undefined;
  }
}

function collector(onText: (text: string) => void): Writable {
  return new Writable({
    write(bytes: Buffer, _encoding, done) {
      onText(bytes.toString('utf8'));
      done();
    },
  });
}

function replaceStream(name: 'stdin' | 'stdout' | 'stderr', value: Readable | Writable) {
  const own = Object.getOwnPropertyDescriptor(process, name)!;
  Object.defineProperty(process, name, { configurable: true, value });
  return () => Object.defineProperty(process, name, own);
}

function setEnvironment(wanted: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  for (const [name, value] of Object.entries(wanted)) {
    if (value !== undefined) process.env[name] = value;
  }
}

export interface StartHow extends RunHow {
  /** A shell command that sets limits and then runs `"$@"`. */
  readonly shell?: string;
  /** The program to run instead of the built one. */
  readonly entry?: string;
  /** Called when the process runs, with a function that signals it. */
  readonly onStart?: (kill: (signal: NodeJS.Signals) => void) => unknown;
  /** Called with each chunk of stdout and a function that signals the process. */
  readonly onStdout?: (text: string, kill: (signal: NodeJS.Signals) => void) => void;
}

export interface Ended extends Pick<Ran, 'stdout' | 'stderr'> {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Runs a command in its own process. */
export async function startCli(args: readonly string[], how: StartHow = {}): Promise<Ended> {
  const child = spawnCli(args, how);
  // Only once: a second signal ends the program at once, and more stdout may arrive before the first is handled.
  let isSignalled = false;
  const kill = (signal: NodeJS.Signals) => {
    if (!isSignalled) child.kill(signal);
    isSignalled = true;
  };
  how.onStart?.(kill);
  child.stdout.on('data', (bytes: Buffer) => how.onStdout?.(bytes.toString('utf8'), kill));
  const { exitCode = null, signal = null, stdout, stderr } = await child;
  return { code: exitCode, signal, stdout, stderr };
}

/** As `startCli`, but returns the running process. It resolves whatever the exit code. */
export function spawnCli(args: readonly string[], { cwd, stdin, env, shell, ...how }: StartHow) {
  const command = [process.execPath, how.entry ?? entry, ...args];
  const inShell = shell === undefined ? [] : ['bash', '-c', shell, 'bash'];
  const [file = '', ...rest] = [...inShell, ...command];
  return execa(file, rest, {
    cwd: cwd ?? process.cwd(),
    input: stdin ?? '',
    env: { ...environmentOf(args), ...env },
    extendEnv: false,
    reject: false,
    forceKillAfterDelay: false,
    stripFinalNewline: false,
  });
}

/** What a refused command gives: this exit code and a message, and nothing on stdout. */
export const refused = (code: number, message: string | RegExp): Ran => ({
  code,
  stdout: '',
  stderr: expect.stringMatching(asPattern(message)),
});

/** The same where the message must be one line. */
export const refusedInOneLine = (code: number, message: string | RegExp): Ran => {
  const { source } = asPattern(message);
  return refused(code, new RegExp(`^(?=forensics: [^\\n]+\\n$)[^]*${source}`));
};

function asPattern(message: string | RegExp): RegExp {
  if (message instanceof RegExp) return message;
  return new RegExp(message.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`));
}

export const emptyFolder = async (): Promise<string> => newFolder();
