/**
 * Where the examples of the manual run: a home of nobody with the pictures that the examples name, the commands
 * `forensics`, `npx` and `npm`, and a real server, started as the manual says.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sceneJpeg } from '../fixtures/pictures.ts';
import { root } from './manual.ts';

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
  /** Runs lines in a shell. `api`, `KEY` and whatever else was set are known there. */
  shell(lines: string): Promise<Told>;
  close(): Promise<void>;
}

const manualAddress = '127.0.0.1:8443';

/** An example that waits for what never comes is ended, the server with it: all of them together take less. */
const longestMs = 180_000;

export async function openStage(): Promise<Stage> {
  const home = mkdtempSync(join(tmpdir(), 'forensics-manual-'));
  const folder = join(home, 'work');
  await furnish(folder);
  const environment = {
    PATH: [writeCommands(join(home, 'bin')), dirname(process.execPath), systemPath()].join(':'),
    HOME: home,
    // Any free port stands for the one of the manual, and one child keeps the tests on their two cores.
    FORENSICS_PORT: '0',
    FORENSICS_WORKERS: '1',
  };
  const servers: ReturnType<typeof spawn>[] = [];
  let address = manualAddress;
  let key = '';

  const inShell = (lines: string) =>
    spawn('bash', ['-c', lines.replaceAll(manualAddress, address)], {
      cwd: folder,
      env: { ...environment, KEY: key },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: longestMs,
    });
  const asWritten = (text: string) => text.replaceAll(address, manualAddress).replaceAll(home, '~');

  return {
    folder,
    async serve(command) {
      const child = inShell(`exec ${command}`);
      servers.push(child);
      const said = { stdout: '', stderr: '' };
      child.stdout.on('data', (bytes: Buffer) => (said.stdout += bytes.toString('utf8')));
      const ready = new Promise<void>((resolve) => {
        child.stderr.on('data', (bytes: Buffer) => {
          said.stderr += bytes.toString('utf8');
          if (said.stderr.includes('Listening on ')) resolve();
        });
      });
      const ended = once(child, 'close').then(() => Promise.reject(new Error(said.stderr)));
      await Promise.race([ready, ended]);
      address = /URL: +https:\/\/(\S+)/.exec(said.stdout)?.[1] ?? address;
      key = /API key: +(\S+)/.exec(said.stdout)?.[1] ?? key;
      return asWritten(said.stdout);
    },
    async shell(lines) {
      const child = inShell(`exec 2>&1\n${lines}`);
      let text = '';
      child.stdout.on('data', (bytes: Buffer) => (text += bytes.toString('utf8')));
      await once(child, 'close');
      return { code: child.exitCode, text: asWritten(text) };
    },
    async close() {
      for (const server of servers.filter(({ exitCode }) => exitCode === null)) {
        server.kill('SIGTERM');
        await once(server, 'exit');
      }
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** The pictures of the examples: small ones where the size tells nothing. */
async function furnish(folder: string): Promise<void> {
  const pictures = {
    'photo.jpg': { width: 640, height: 480, seed: 3 },
    'incoming/a.jpg': { width: 256, height: 256, seed: 4 },
    'incoming/b.jpg': { width: 256, height: 256, seed: 5 },
    'photos/camera/1.jpg': { width: 128, height: 128, seed: 6 },
    'photos/phone/2.jpg': { width: 128, height: 128, seed: 7 },
    'generated/one/3.jpg': { width: 128, height: 128, seed: 8 },
    'generated/other/4.jpg': { width: 128, height: 128, seed: 9 },
  };
  for (const [name, size] of Object.entries(pictures)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, await sceneJpeg(size));
  }
}

/** The commands of the manual act on the sources; what `npm ci` would install is there, or no test would run. */
function writeCommands(folder: string): string {
  const entry = join(root, 'test', 'cli', 'entry.ts');
  const draw = join(root, 'test', 'fixtures', 'draw.ts');
  const commands = {
    forensics: `exec node '${entry}' "$@"`,
    npx: '[ "$1" = forensics ] && exec "$@"',
    npm: `case "$*" in
      ci) exit ;;
      'run --silent draw -- '*) exec node '${draw}' "$5" ;;
    esac
    echo "npm $* is not on this stage" && exit 1`,
  };
  mkdirSync(folder);
  for (const [name, script] of Object.entries(commands)) {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
  }
  return folder;
}

/** Without the programs of the checkout. */
function systemPath(): string {
  const { PATH = '' } = process.env;
  return PATH.split(':')
    .filter((folder) => !folder.startsWith(root))
    .join(':');
}
