/** Whether the service's own store is at work, asked for health. */

import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { RemoteStore } from '../blobs/store.ts';
import { ForensicsError } from '../errors.ts';
import { cached } from './cached.ts';

// Requests to a store may cost money, and travel.
const freshMs = 10_000;
// Whoever asks for health does not wait as long as an act may take.
const patienceMs = 3000;

/** @param root - the folder of the embedded store. */
export function checkFolder(root: string): () => Promise<void> {
  return async () => {
    const file = join(root, `.health-${randomUUID()}`);
    try {
      await writeFile(file, 'ok', { mode: 0o600 });
    } finally {
      await rm(file, { force: true });
    }
  };
}

/** @throws {ForensicsError} in the check: `store_refused`, `store_unavailable`. */
export function checkRemote(
  store: Pick<RemoteStore, 'head'>,
  { now, timeoutMs = patienceMs }: { readonly now: () => Date; readonly timeoutMs?: number },
): () => Promise<void> {
  // There is no such object, but only a store that lets us in says so.
  const ask = async () => withinTime(store.head('forensics-probe/health'), timeoutMs);
  return cached(ask, { freshMs, now });
}

async function withinTime(work: Promise<unknown>, timeoutMs: number): Promise<void> {
  const pause = new AbortController();
  const late = wait(timeoutMs, undefined, { signal: pause.signal, ref: false }).then(() => {
    throw new ForensicsError('store_unavailable', 'The store does not answer in time.');
  });
  try {
    await Promise.race([work, late]);
  } finally {
    pause.abort();
  }
}
