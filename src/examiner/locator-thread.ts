/**
 * Runs the localisation network in a separate thread, because `session.run` blocks the thread that calls it; meanwhile,
 * the child's main thread runs the trace network and the other methods. The network itself uses only one thread, so its
 * results stay the same. Afterwards, the thread searches for copies, the slowest of the other methods.
 */

import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { findCopies } from '../detectors/copy-move/copy-move.ts';
import type { Models } from '../engine/schedule.ts';
import type { LocateModel } from '../inference/networks.ts';
import type { VerifiedLocator } from '../inference/registry.ts';

export type LocatorQuestion =
  | { readonly open: VerifiedLocator }
  | { readonly locate: Parameters<LocateModel['locate']> }
  | { readonly findCopies: Parameters<typeof findCopies> }
  | 'close';

export type LocatorAnswer = { readonly answer: unknown } | { readonly failure: string };

type FindCopies = NonNullable<Models['findCopiesInThread']>;

/** Starts the thread, which loads ONNX Runtime in advance. The thread does not keep the process alive. */
export function startLocatorThread() {
  const file = new URL(`../examiner/locator-worker${extname(import.meta.url)}`, import.meta.url);
  const worker = new Worker(file);
  worker.unref();
  const ask = createAsker(worker);
  return {
    /**
     * Opens one network at a time. @returns a model that processes one picture at a time, even while the network opens.
     * If the network cannot be opened, every picture fails, but each one makes a fresh attempt to open it.
     */
    open: (verified: VerifiedLocator): LocateModel => {
      ask({ open: verified }).catch(() => undefined);
      return {
        manifest: verified.manifest,
        locate: async ({ rgb, width, height }, table) => {
          // Transfers a copy, because the other methods still need the picture's own pixels.
          const own = new Uint8Array(rgb);
          const question: LocatorQuestion = { locate: [{ rgb: own, width, height }, table] };
          return ask(question, [own.buffer]);
        },
        release: () => ask('close'),
      };
    },
    /** Runs after the network. Transfers planes and surroundings, so the caller can no longer use them. */
    findCopies: async (...[working, { width, height }, described]: Parameters<FindCopies>) => {
      const question: LocatorQuestion = { findCopies: [working, { width, height }, described] };
      const planes = [working.luma, working.blue, working.red, ...Object.values(described ?? {})];
      const buffers = planes.map(({ buffer }) => buffer).filter((it) => it instanceof ArrayBuffer);
      return ask<Awaited<ReturnType<FindCopies>>>(question, buffers);
    },
  };
}

/**
 * Sends requests, which the thread handles in order; the thread keeps the process alive only while one is pending.
 * Nothing listens for errors of the thread itself: they end this child, and the pool starts another.
 */
function createAsker(worker: Worker) {
  const waiting: ((answer: LocatorAnswer) => void)[] = [];
  worker.on('message', (answer: LocatorAnswer) => {
    const resolveNext = waiting.shift();
    if (waiting.length === 0) worker.unref();
    resolveNext?.(answer);
  });

  /** The caller knows the type of the answer from its question. */
  return function ask<Answer>(
    question: LocatorQuestion,
    transferred: readonly ArrayBuffer[] = [],
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      worker.postMessage(question, transferred);
      worker.ref();
      waiting.push((said) => {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both ends are ours, in the same version.
        if ('answer' in said) resolve(said.answer as Answer);
        else reject(new Error(said.failure));
      });
    });
  };
}
