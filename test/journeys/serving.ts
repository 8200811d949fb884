/** A real `forensics serve` in its own process, and a client that trusts its certificate authority. */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { Agent } from 'undici';
import { newFolder } from '../fixtures/folder.ts';
import type { Analysis } from '../../src/contract/analysis.ts';
import { makeDatabaseOf } from '../fixtures/postgres.ts';
import { spawnCli, type StartHow } from '../cli/run-cli.ts';
import { type Answer, type Ask, asker, type Question } from '../unit/server/open-server.ts';

/** The line printed by `serve --json`. */
export interface Ready {
  readonly url: string;
  readonly caPath: string;
  readonly tenantName: string | null;
  readonly apiKey: string | null;
  readonly firstAccountUrl: string | null;
}

type Headers = Pick<Question, 'headers'>;

export type ServeProcess = ReturnType<typeof spawnCli>;

export interface Serving {
  readonly ready: Ready;
  readonly child: ServeProcess;
  /** Sends a request without a key. */
  readonly ask: Ask;
  /** Ends the server with a signal, waits, and returns the exit code. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
}

export function newDataDir(): string {
  return newFolder();
}

// Ignores the user's settings; the rate limit is beyond what any test or benchmark reaches.
const quiet = {
  XDG_CONFIG_HOME: join(tmpdir(), 'forensics-no-config'),
  FORENSICS_RATE_LIMIT_PER_MINUTE: '1000000',
};

/**
 * Starts `forensics serve`; `environment` is added to a bare one. @param how - as in `spawnCli`.
 */
export function spawnServe(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  how: Pick<StartHow, 'shell' | 'entry'> = {},
): ServeProcess {
  return spawnCli(['serve', ...args], { ...how, env: { ...quiet, ...environment } });
}

/** Resolves once the server is ready; rejects with its output if it ends first. */
export async function startServing(
  dataDir: string,
  environment: Readonly<Record<string, string>> = {},
  how: Pick<StartHow, 'shell' | 'entry'> = {},
): Promise<Serving> {
  const { FORENSICS_WORKERS: workers = '1', FORENSICS_PORT: port = '0' } = environment;
  const args = ['--json', '--data-dir', dataDir, '--port', port, '--workers', workers];
  const child = spawnServe(args, { ...(await makeDatabaseOf(dataDir)), ...environment }, how);
  const ready = await readyLine(child);
  const agent = new Agent({ connect: { ca: readFileSync(ready.caPath) } });
  return {
    ready,
    child,
    ask: asker(ready.url, agent),
    async end(signal) {
      await agent.close();
      child.kill(signal);
      const { exitCode = null } = await child;
      return exitCode;
    },
  };
}

async function readyLine(child: ServeProcess): Promise<Ready> {
  let output = '';
  child.stderr.on('data', (bytes: Buffer) => {
    output += bytes.toString('utf8');
  });
  const lines = createInterface({ input: child.stdout });
  const first = once(lines, 'line').then(([line]): Ready => JSON.parse(String(line)));
  const early = child.then(() => Promise.reject(new Error(`serve ended: ${output}`)));
  return Promise.race([first, early]);
}

/** A client for one tenant and one key. */
export function clientOf({ ask }: Pick<Serving, 'ask'>, tenantName: string, apiKey: string) {
  const headers = { authorization: `ApiKey ${apiKey}` };
  const send = async (method: string, act: string, body: object): Promise<Answer> =>
    ask({ method, path: `/v1/analysis${act}`, headers, body: { tenantName, ...body } });

  async function get(id: string): Promise<Answer> {
    return ask({ method: 'GET', path: `/v1/analysis?tenantName=${tenantName}&id=${id}`, headers });
  }

  return {
    send,
    get,
    async create(input: object, more: object = {}): Promise<Analysis> {
      const whole = { version: 'v1', filename: 'a.jpg', options: {}, ...input };
      const answer = await send('POST', '', { name: 'A', type: 'image', input: whole, ...more });
      return only(answer);
    },
    /** @param more - such as the length of a streamed body. */
    async upload(
      { input }: Analysis,
      body: Buffer | Readable,
      more: Headers = {},
    ): Promise<Answer> {
      return ask({ method: 'PUT', path: pathOf(input.storageUrls.putUrl), body, ...more });
    },
    async download(url: string): Promise<Buffer> {
      const answer = await ask({ method: 'GET', path: pathOf(url) });
      if (answer.status !== 200) throw new Error(`download answered ${answer.status}`);
      return answer.body;
    },
    /** Polls until the status is one of `wanted`; the test's timeout limits it. */
    async until(id: string, wanted: readonly string[]): Promise<Analysis> {
      for (;;) {
        const analysis = only(await get(id));
        if (wanted.includes(analysis.inferenceStatus.status)) return analysis;
        // A pause, as polling without one would take the CPU that the server needs.
        await setTimeout(20);
      }
    },
  };
}

export function only(answer: Answer): Analysis {
  const [analysis] = answer.json<{ data?: Analysis[] }>().data ?? [];
  if (analysis === undefined) throw new Error(`${answer.status} ${answer.body.toString('utf8')}`);
  return analysis;
}

// Scheme and host may differ from those of the started server; path and signature matter.
function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}
