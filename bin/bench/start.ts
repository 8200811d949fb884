/**
 * How long the built program takes until a server gives its first answer, and until it prints its
 * version, compared with an empty Node.js.
 */

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Agent, request } from 'undici';
import type { Ready } from '../../test/journeys/serving.ts';
import { median, type Row } from './figures.ts';

const program = fileURLToPath(new URL('../forensics.js', import.meta.url));

export async function benchStart(rounds: number): Promise<readonly Row[]> {
  const home = mkdtempSync(join(tmpdir(), 'forensics-bench-'));
  try {
    const firstMs = await serveOnce(home);
    const times = { serve: [] as number[], version: [] as number[], empty: [] as number[] };
    for (let round = 0; round < rounds; round++) {
      times.serve.push(await serveOnce(home));
      times.version.push(await run(home, [program, '--version']));
      times.empty.push(await run(home, ['-e', '0']));
    }
    return [
      {
        what: 'serve to the first answer',
        value: median(times.serve),
        unit: 'ms',
        atMost: 1000,
      },
      { what: 'the same with a new data folder', value: firstMs, unit: 'ms' },
      { what: '--version', value: median(times.version), unit: 'ms', atMost: 150 },
      { what: 'an empty Node.js', value: median(times.empty), unit: 'ms' },
    ];
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** From the start of the process to the end of the answer; stopping is not counted. */
async function serveOnce(home: string): Promise<number> {
  const began = performance.now();
  const dataDir = join(home, 'data');
  const child = start(home, [program, 'serve', '--json', '--data-dir', dataDir, '--port', '0']);
  const [line]: unknown[] = await once(createInterface({ input: child.stdout }), 'line');
  const { url, caPath }: Ready = JSON.parse(String(line));
  const agent = new Agent({ connect: { ca: readFileSync(caPath) } });
  const { body } = await request(`${url}/v1/health`, { dispatcher: agent });
  await body.dump();
  const ms = performance.now() - began;
  await agent.close();
  child.kill('SIGTERM');
  await once(child, 'exit');
  return ms;
}

async function run(home: string, args: readonly string[]): Promise<number> {
  const began = performance.now();
  await once(start(home, args), 'exit');
  return performance.now() - began;
}

/** Without the user's own settings. */
function start(home: string, args: readonly string[]): ChildProcessByStdio<null, Readable, null> {
  return spawn(process.execPath, [...args], {
    env: { PATH: process.env['PATH'], HOME: home },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}
