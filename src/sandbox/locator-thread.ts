/**
 * The localisation network in a thread of its own: `session.run` holds its thread for as long as it works, and meanwhile the
 * child's main thread reads the picture with the trace network and the other methods. The network itself still runs on one
 * thread, so the numbers stay the same.
 */

import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { LocateModel } from '../inference/networks.ts';
import type { VerifiedLocator } from '../inference/registry.ts';

export type LocatorQuestion = 'open' | 'close' | Parameters<LocateModel['locate']>;

export type LocatorAnswer =
  | { readonly kind: 'opened'; readonly runtimeVersion: string }
  | { readonly kind: 'located'; readonly located: Awaited<ReturnType<LocateModel['locate']>> }
  | { readonly kind: 'closed' }
  | { readonly kind: 'failed'; readonly detail: string };

/** @returns a model that is asked about one picture at a time. */
export async function openLocatorThread(verified: VerifiedLocator): Promise<LocateModel> {
  const file = new URL(`./locator-worker${extname(import.meta.url)}`, import.meta.url);
  const worker = new Worker(file, { workerData: verified });
  const { runtimeVersion } = await answerOf(worker, 'opened', 'open');

  return {
    manifest: verified.manifest,
    runtimeVersion,
    locate: async ({ rgb, width, height }, table) => {
      // A copy that is handed over: the other methods still read the picture's own pixels.
      const own = new Uint8Array(rgb);
      const question: LocatorQuestion = [{ rgb: own, width, height }, table];
      return (await answerOf(worker, 'located', question, [own.buffer])).located;
    },
    // Ended in the middle of a run, a thread takes the process with it: this one is told to, and ends by itself.
    release: async () => {
      await answerOf(worker, 'closed', 'close');
    },
  };
}

type AnswerTo<Kind extends LocatorAnswer['kind']> = Extract<LocatorAnswer, { kind: Kind }>;

/**
 * Sends a question and waits for its answer; only meanwhile the thread keeps the process alive. Nobody listens for an error of
 * the thread itself: it ends this child, and the pool starts another.
 */
function answerOf<Kind extends LocatorAnswer['kind']>(
  worker: Worker,
  kind: Kind,
  question: LocatorQuestion,
  handedOver: readonly ArrayBuffer[] = [],
): Promise<AnswerTo<Kind>> {
  return new Promise((resolve, reject) => {
    worker.ref();
    worker.once('message', (answer: LocatorAnswer) => {
      worker.unref();
      if (isOf(kind, answer)) resolve(answer);
      else
        reject(new Error(answer.kind === 'failed' ? answer.detail : `unexpected: ${answer.kind}`));
    });
    worker.postMessage(question, handedOver);
  });
}

function isOf<Kind extends LocatorAnswer['kind']>(
  kind: Kind,
  answer: LocatorAnswer,
): answer is AnswerTo<Kind> {
  return answer.kind === kind;
}
