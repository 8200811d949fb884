/** Threads that handle what somebody else made: they may hang, run out of memory or end without an answer. */

import type { Worker } from 'node:worker_threads';

/** Returns the thread's first message and ends the thread; null if it fails or sends nothing in time. */
export async function answerOf<T>(worker: Worker, timeoutMs: number): Promise<T | null> {
  try {
    return await new Promise<T | null>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs, null);
      worker.once('message', resolve);
      worker.once('error', () => resolve(null));
      worker.once('exit', () => {
        clearTimeout(timer);
        resolve(null);
      });
    });
  } finally {
    await worker.terminate();
  }
}
