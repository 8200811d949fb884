/**
 * Where the examples of the manual run: a home of nobody with the pictures that the examples name, the commands
 * `forensics`, `npx` and `npm`, and a real server, started as the manual says.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { furnish, systemPath, writeCommands } from './furnish.ts';

export interface Told {
  readonly code: number | null;
  /** Both streams, as a terminal shows them, with the addresses and the home of the manual. */
  readonly text: string;
}

export interface Stage {
  /** The folder that the reader stands in. */
  readonly folder: string;
  /** Starts the server that `command` starts, leaves it running, and answers what it said on standard output. */
  serve(command: string): Promise<string>;
  /** Runs lines in a shell that knows the first API key as `KEY`. What never ends is ended. */
  shell(lines: string): Promise<Told>;
  close(): Promise<void>;
}

/** Where the server of the manual listens, and as whom other machines know it. */
const manualAddress = '127.0.0.1:8443';
const farAddress = 'forensics.example:8443';

const longestMs = 180_000;

export async function openStage(): Promise<Stage> {
  const home = mkdtempSync(join(tmpdir(), 'forensics-manual-'));
  const folder = join(home, 'cases');
  await furnish(folder);
  const servers: ReturnType<typeof inShell>[] = [];
  // Any free port stands for that of the manual.
  let server = { address: manualAddress, port: '0', key: '' };

  const environment = {
    PATH: [writeCommands(join(home, 'bin')), dirname(process.execPath), systemPath()].join(':'),
    HOME: home,
    // What one command compiled the next one need not.
    NODE_COMPILE_CACHE: join(home, 'compiled'),
    // One child keeps the tests on their two cores.
    FORENSICS_WORKERS: '1',
  };
  const start = (lines: string) =>
    inShell(
      lines.replaceAll(manualAddress, server.address).replaceAll(farAddress, server.address),
      {
        cwd: folder,
        env: { ...environment, FORENSICS_PORT: server.port, KEY: server.key },
      },
    );
  const asWritten = (text: string, lines: string) =>
    text
      .replaceAll(server.address, lines.includes(farAddress) ? farAddress : manualAddress)
      .replaceAll(home, '~');

  return {
    folder,
    async serve(command) {
      const child = start(`exec ${command}`);
      servers.push(child);
      const said = await saidWhenReady(child);
      const valueOf = (name: string) => new RegExp(`${name}: +(\\S+)`).exec(said)?.[1] ?? '';
      const { host: address, port } = new URL(valueOf('URL'));
      server = { address, port, key: valueOf('API key') };
      // Carried to the other machine.
      copyFileSync(valueOf('CA certificate'), join(folder, 'ca.pem'));
      return asWritten(said, command);
    },
    async shell(lines) {
      const child = start(`exec 2>&1\n${lines}`);
      const tooLong = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), longestMs);
      let text = '';
      child.stdout.on('data', (bytes: Buffer) => (text += bytes.toString('utf8')));
      await once(child, 'close');
      clearTimeout(tooLong);
      return { code: child.exitCode, text: asWritten(text, lines) };
    },
    async close() {
      for (const child of servers.filter(({ exitCode }) => exitCode === null)) {
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** With a process group of its own, so that all of it can be ended. */
function inShell(lines: string, { cwd, env }: { cwd: string; env: Record<string, string> }) {
  return spawn('bash', ['-c', lines], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
}

/** All that the first run prints, down to the command to try: it and the log come through two pipes, either of them first. */
async function saidWhenReady(child: ReturnType<typeof inShell>): Promise<string> {
  const said = { stdout: '', stderr: '' };
  const ready = new Promise<void>((resolve) => {
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].on('data', (bytes: Buffer) => {
        said[name] += bytes.toString('utf8');
        if (said.stderr.includes('Listening on ') && /^curl .*\n/m.test(said.stdout)) resolve();
      });
    }
  });
  const ended = once(child, 'close').then(() => Promise.reject(new Error(said.stderr)));
  await Promise.race([ready, ended]);
  return said.stdout;
}
