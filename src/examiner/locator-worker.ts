/** The thread of `locator-thread.ts`: handles one request at a time, in the order of arrival. */

import { parentPort } from 'node:worker_threads';
import { findCopies } from '../detectors/copy-move/copy-move.ts';
import { loadLocateModel, type LocateModel } from '../inference/networks.ts';
import type { VerifiedLocator } from '../inference/registry.ts';
import { loadRuntime } from '../inference/runtime.ts';
import type { LocatorAnswer, LocatorQuestion } from './locator-thread.ts';

// Starts before the first request, while the child's main thread is starting; the first request reports any failure.
const loadingRuntime = loadRuntime();
loadingRuntime.catch(() => undefined);
let wanted: VerifiedLocator | null = null;
let model: LocateModel | null = null;
let previous: Promise<unknown> = Promise.resolve();

parentPort?.on('message', (question: LocatorQuestion) => {
  previous = previous
    .then(() => answer(question))
    .then((said) => parentPort?.postMessage(said, []));
});

/** After a failure, the thread continues, because the network may succeed with the next picture. */
async function answer(question: LocatorQuestion): Promise<LocatorAnswer> {
  try {
    return { answer: await perform(question) };
  } catch (error) {
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

async function perform(question: LocatorQuestion): Promise<unknown> {
  if (question === 'close') {
    await model?.release();
    model = null;
    return null;
  }
  if ('open' in question) {
    wanted = question.open;
    model = null;
    await opened();
    return null;
  }
  if ('findCopies' in question) return findCopies(...question.findCopies);
  return (await opened()).locate(...question.locate);
}

async function opened(): Promise<LocateModel> {
  if (wanted === null) throw new TypeError('No localisation network was requested.');
  model ??= await loadLocateModel(wanted, await loadingRuntime);
  return model;
}
