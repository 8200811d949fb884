/** Keeps the most recent models loaded, so that a warm child can start at once. */

import type { Models } from '../engine/schedule.ts';
import { createRegistry, type VerifiedLocator, type VerifiedModel } from '../inference/registry.ts';
import { loadRuntime } from '../inference/runtime.ts';
import { loadTraceModel } from '../inference/networks.ts';
import { createMutex } from '../mutex.ts';
import { type LocatorThread, startLocatorThread } from './locator-thread.ts';

export type ModelCache = ReturnType<typeof createModelCache>;

/** Model identifiers; null or absent for the default. */
interface Wanted {
  readonly model: string | null;
  readonly locator?: string | null;
}

export function createModelCache() {
  const thread = startLocatorThread();
  // A picture that cannot be opened fails its task at once; the models still load when the next task asks for them.
  const alone = createMutex();
  let loaded: { readonly description: string; readonly models: Models } | null = null;

  async function clear(): Promise<void> {
    await Promise.all([loaded?.models.trace.release(), loaded?.models.locator.release()]);
    loaded = null;
  }

  async function load({ model, locator = null }: Wanted, modelsDir: string | null) {
    const registry = createRegistry({ extra: modelsDir });
    // Compared by whole manifest, including hashes, instead of by name: a model replaced on disk is loaded again.
    const found = [await registry.find(model), await registry.findLocator(locator)];
    const description = JSON.stringify(found);
    if (loaded?.description === description) return loaded.models;
    await clear();
    const models = await openBoth(
      thread,
      await registry.open(model),
      await registry.openLocator(locator),
    );
    loaded = {
      description: JSON.stringify([models.trace.manifest, models.locator.manifest]),
      models,
    };
    return models;
  }

  return {
    /** @throws {ForensicsError} `model_not_found`, `model_integrity`, `runtime_missing`. */
    load: (wanted: Wanted, modelsDir: string | null) =>
      alone('models', () => load(wanted, modelsDir)),
    /** Releases the models' memory: about 300 MB of working memory after a large picture. */
    clear: () => alone('models', clear),
  };
}

/**
 * Opens both in parallel, and keeps both or none: a model left open beside one that failed to open would never be closed.
 */
async function openBoth(
  thread: LocatorThread,
  verified: VerifiedModel,
  verifiedLocator: VerifiedLocator,
): Promise<Models> {
  const opening = thread.open(verifiedLocator);
  const openingTrace = loadRuntime().then((runtime) => loadTraceModel(verified, runtime));
  const [traceModel, locatorModel] = await Promise.allSettled([openingTrace, opening]);
  if (traceModel.status === 'rejected' && locatorModel.status === 'fulfilled') {
    await locatorModel.value.release();
  }
  if (traceModel.status === 'fulfilled' && locatorModel.status === 'rejected') {
    await traceModel.value.release();
  }
  return {
    trace: await openingTrace,
    locator: await opening,
    findCopiesInThread: thread.findCopies,
  };
}
