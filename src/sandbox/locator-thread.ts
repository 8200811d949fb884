/**
 * The localisation network in a thread of its own: `session.run` holds its thread for as long as it works, and meanwhile the
 * child's main thread reads the picture with the trace network and the other methods. The network itself still runs on one
 * thread, so the numbers stay the same.
 */

import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { LocateModel } from '../inference/networks.ts';
import type { VerifiedLocator } from '../inference/registry.ts';

export type LocatorQuestion =
  | { readonly open: VerifiedLocator }
  | { readonly locate: Parameters<LocateModel['locate']> }
  | 'close';

export type LocatorAnswer =
  | { readonly kind: 'opened'; readonly runtimeVersion: string }
  | { readonly kind: 'located'; readonly located: Awaited<ReturnType<LocateModel['locate']>> }
  | { readonly kind: 'closed' }
  | { readonly kind: 'failed'; readonly detail: string };

export interface LocatorThread {
  /** One network at a time. @returns a model that is asked about one picture at a time. */
  open(verified: VerifiedLocator): Promise<LocateModel>;
}

/** Starts the thread, which loads ONNX Runtime before it is asked for anything. It does not keep the process alive. */
export function startLocatorThread(): LocatorThread {
  const file = new URL(`./locator-worker${extname(import.meta.url)}`, import.meta.url);
  const worker = new Worker(file);
  worker.unref();
  return {
    open: async (verified) => {
      const { runtimeVersion } = await answerOf(worker, 'opened', { open: verified });
      return {
        manifest: verified.manifest,
        runtimeVersion,
        locate: async ({ rgb, width, height }, table) => {
          // A copy that is handed over: the other methods still read the picture's own pixels.
          const own = new Uint8Array(rgb);
          const question: LocatorQuestion = { locate: [{ rgb: own, width, height }, table] };
          return (await answerOf(worker, 'located', question, [own.buffer])).located;
        },
        release: async () => {
          await answerOf(worker, 'closed', 'close');
        },
      };
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
