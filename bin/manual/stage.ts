/**
 * Where the examples of the manual run: a temporary home folder with the pictures that the examples
 * name, the commands `forensics`, `npx` and `npm`, and a real server, started as in the manual.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { furnish, systemPath, writeCommands } from './furnish.ts';

export interface Told {
  readonly code: number | null;
  /** Both streams, as on a terminal, with the addresses and the home folder of the manual. */
  readonly text: string;
}

export interface Stage {
  /** The reader's working folder. */
  readonly folder: string;
  /** Starts a server with `command` and leaves it running. @returns its standard output. */
  serve(command: string): Promise<string>;
  /** Runs lines in a shell that has the first API key as `KEY`. Commands that never exit are stopped. */
  shell(lines: string): Promise<Told>;
  close(): Promise<void>;
}

/** The address that the server of the manual listens on, and the one for other machines. */
const manualAddress = '127.0.0.1:8443';
const farAddress = 'forensics.example:8443';

const longestMs = 180_000;

export async function openStage(): Promise<Stage> {
  const home = mkdtempSync(join(tmpdir(), 'forensics-manual-'));
  const folder = join(home, 'cases');
  await furnish(folder);
  const servers: ReturnType<typeof inShell>[] = [];
  // Any free port replaces that of the manual.
  let server = { address: manualAddress, port: '0', key: '' };

  const environment = {
    PATH: [writeCommands(join(home, 'bin')), dirname(process.execPath), systemPath()].join(':'),
    HOME: home,
    // Commands share what one has compiled.
    NODE_COMPILE_CACHE: join(home, 'compiled'),
    // With one child process the tests stay within their two cores.
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
      // As copied to the other machine.
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
      // A program in a terminal may still be ending.
      rmSync(home, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** In a separate process group, so that all of it can be stopped. */
function inShell(lines: string, { cwd, env }: { cwd: string; env: Record<string, string> }) {
  return spawn('bash', ['-c', lines], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
}

/**
 * All that the first run prints, up to the command to try. That command and the log come through
 * two pipes, in either order.
 */
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
