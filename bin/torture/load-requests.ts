/** Sends requests over many connections at once and measures how long each takes. */

import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { Agent } from 'undici';
import type { Serving } from '../../test/journeys/serving.ts';
import { demand } from './proof.ts';

export const connections = 1000;
export const size = { width: 96, height: 96 };

export function createAsker({ ready }: Serving, apiKey: string, tenantName = 'default') {
  const agent = new Agent({
    connect: { ca: readFileSync(ready.caPath), timeout: 60_000 },
    connections,
    headersTimeout: 120_000,
  });
  const headers = { authorization: `ApiKey ${apiKey}`, 'content-type': 'application/json' };
  const input = { format: 'jpg', version: 'v1', ...size, filename: 'a.jpg', options: {} };
  const body = JSON.stringify({ tenantName, name: 'A', type: 'image', input });
  async function ask(method: 'GET' | 'POST', path: string): Promise<number> {
    const { origin } = new URL(ready.url);
    const answer = await agent.request({
      origin,
      path,
      method,
      headers,
      body: method === 'POST' ? body : null,
    });
    await answer.body.dump({ limit: 1e9 });
    return answer.statusCode;
  }
  return {
    get: async (path: string) => ask('GET', path),
    create: async () => ask('POST', '/v1/analysis'),
    close: async () => agent.close(),
  };
}

export interface Measured {
  readonly ms: readonly number[];
  readonly aSecond: number;
}

interface Asking {
  readonly forMs: number;
  readonly atOnce: number;
  /** Time between the requests of a connection; without it, the next one follows the answer. */
  readonly everyMs?: number;
}

/** Times count from the moment at which a request was due, so they include the wait for the answer before it. */
export async function many(
  { forMs, atOnce, everyMs = 0 }: Asking,
  ask: () => Promise<number>,
): Promise<Measured> {
  const ms: number[] = [];
  const begun = performance.now();
  const lines = Array.from({ length: atOnce }, async (_, line) => {
    for (let turn = 0; performance.now() - begun < forMs; turn++) {
      const dueAt = begun + (turn + line / atOnce) * everyMs;
      if (everyMs > 0) await setTimeout(Math.max(0, dueAt - performance.now()));
      const at = everyMs > 0 ? dueAt : performance.now();
      const status = await ask();
      demand(status === 200, `A server under load answered ${status}.`);
      ms.push(performance.now() - at);
    }
  });
  await Promise.all(lines);
  return { ms, aSecond: (1000 * ms.length) / (performance.now() - begun) };
}
