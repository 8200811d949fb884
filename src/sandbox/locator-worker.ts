/** The thread behind `locator-thread.ts`: opens the network that it was started with, and answers one question at a time. */

import { parentPort, workerData } from 'node:worker_threads';
import { loadLocateModel, type LocateModel } from '../inference/networks.ts';
import type { VerifiedLocator } from '../inference/registry.ts';
import { loadRuntime } from '../inference/runtime.ts';
import type { LocatorAnswer, LocatorQuestion } from './locator-thread.ts';

const verified: VerifiedLocator = workerData;
let model: LocateModel | null = null;

parentPort?.on('message', (question: LocatorQuestion) => {
  void answer(question).then((said) => parentPort?.postMessage(said, []));
});

/** A network that failed may answer the next picture: the thread goes on. */
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
    parentPort?.unref();
    return { kind: 'closed' };
  }
  model ??= await loadLocateModel(verified, await loadRuntime());
  if (question === 'open') return { kind: 'opened', runtimeVersion: model.runtimeVersion };
  return { kind: 'located', located: await model.locate(...question) };
}
