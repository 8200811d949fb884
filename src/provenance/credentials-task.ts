/** Hands a signed file to the thread that knows C2PA, and waits for it within bounds. */

import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

export interface CredentialsTask {
  readonly bytes: Uint8Array;
  readonly mimeType: 'image/jpeg' | 'image/png';
  readonly trustList: string | null;
}

/** The largest file, 50 MB, takes three seconds on a busy machine. */
const timeoutMs = 20_000;
/** Of JavaScript; the library's own memory lies outside and is watched with the child's. */
const maxHeapMb = 256;

/**
 * The manifest store as crJSON (the JSON of the C2PA project's conformance programme), or null when it cannot be read.
 * Costs a fifth of a second, most of it for the
 * library of 9 MB, so that a picture without credentials never pays for it.
 */
export async function readCrJson(workerData: CredentialsTask): Promise<unknown> {
  const worker = new Worker(
    new URL(`./credentials-thread${extname(import.meta.url)}`, import.meta.url),
    // What a hostile store makes the library say about itself is not for the log.
    {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
      stdout: true,
      stderr: true,
    },
  );
  try {
    return parse(await answerOf(worker));
  } finally {
    await worker.terminate();
  }
}

function answerOf(worker: Worker): Promise<unknown> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, timeoutMs, null);
    worker.once('message', resolve);
    worker.once('error', () => resolve(null));
    worker.once('exit', () => {
      clearTimeout(timer);
      resolve(null);
    });
  });
}

function parse(answer: unknown): unknown {
  if (typeof answer !== 'string') return null;
  try {
    return JSON.parse(answer);
  } catch {
    // Deeper than the parser goes.
    return null;
  }
}
