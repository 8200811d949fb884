/** The thread behind `locator-thread.ts`: answers questions one by one, in order of arrival. */

import { parentPort } from 'node:worker_threads';
import { findCopies } from '../detectors/copy-move/copy-move.ts';
import { loadLocateModel, type LocateModel } from '../inference/networks.ts';
import { loadRuntime } from '../inference/runtime.ts';
import type { LocatorAnswer, LocatorQuestion } from './locator-thread.ts';

// Starts before the first question, while the child's main thread starts; that question reports a failure.
const loadingRuntime = loadRuntime();
loadingRuntime.catch(() => undefined);
let model: LocateModel | null = null;
let previous: Promise<unknown> = Promise.resolve();

parentPort?.on('message', (question: LocatorQuestion) => {
  previous = previous
    .then(() => answer(question))
    .then((said) => parentPort?.postMessage(said, []));
});

/** The thread continues after a failure, because the network may succeed with the next picture. */
async function answer(question: LocatorQuestion): Promise<LocatorAnswer> {
  try {
    return await perform(question);
  } catch (error) {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { kind: 'failed', detail };
  }
}

async function perform(question: LocatorQuestion): Promise<LocatorAnswer> {
  if (question === 'close') {
    await model?.release();
    model = null;
    return { kind: 'closed' };
  }
  if ('open' in question) {
    model = await loadLocateModel(question.open, await loadingRuntime);
    return { kind: 'opened', runtimeVersion: model.runtimeVersion };
  }
  if ('findCopies' in question) {
    return { kind: 'copies', copies: findCopies(...question.findCopies) };
  }
  if (model === null) throw new TypeError('No network is open.');
  return { kind: 'located', located: await model.locate(...question.locate) };
}
