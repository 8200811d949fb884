/** One question to a server as it is at this moment: nothing is repeated, and every status is an answer. */

import { request } from 'undici';
import type { Api } from './api.ts';
import { toConnectionFailure } from './failures.ts';
import { parsedJson } from './parsed-json.ts';

export interface Seen {
  readonly status: number;
  /** What the server's clock showed, to the second; null where it does not tell. */
  readonly serverTime: Date | null;
  /** Half-way between question and answer, by our clock. */
  readonly at: Date;
  /** Parsed; null when it was not JSON. */
  readonly data: unknown;
}

const timeoutMs = 10_000;

/** @param path - open to everybody. @throws {ForensicsError} `server_unreachable`, `server_untrusted`. */
export async function lookAt(
  { url, dispatcher }: Pick<Api, 'url' | 'dispatcher'>,
  path: string,
): Promise<Seen> {
  const askedMs = Date.now();
  try {
    const answer = await request(new URL(path, url), {
      dispatcher,
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(timeoutMs),
    });
    const at = new Date((askedMs + Date.now()) / 2);
    const serverMs = Date.parse(String(answer.headers['date'] ?? ''));
    return {
      status: answer.statusCode,
      serverTime: Number.isNaN(serverMs) ? null : new Date(serverMs),
      at,
      data: parsedJson(await answer.body.text()),
    };
  } catch (error) {
    throw toConnectionFailure(error, url);
  }
}
