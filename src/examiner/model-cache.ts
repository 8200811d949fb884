/** Keeps the models of the last task loaded, so that the next task can start at once. */

import type { OpeningModels } from '../engine/schedule.ts';
import { createRegistry } from '../inference/registry.ts';
import { loadRuntime } from '../inference/runtime.ts';
import { loadTraceModel, type TraceModel } from '../inference/networks.ts';
import { createMutex } from '../waiting.ts';
import { startLocatorThread } from './locator-thread.ts';

export type ModelCache = ReturnType<typeof createModelCache>;

/** Model identifiers; null or absent for the default. */
interface Wanted {
  readonly model: string | null;
  readonly locator?: string | null;
}

/** Both networks may still be opening. */
type LoadedModels = OpeningModels & { readonly trace: Promise<TraceModel> };

export function createModelCache() {
  const thread = startLocatorThread();
  // A picture that cannot be opened fails its task at once; the models then finish loading for the next task.
  const alone = createMutex();
  let loaded: { isFor(wanted: string): boolean; readonly models: LoadedModels } | null = null;

  async function clear(): Promise<void> {
    const { trace, locator } = loaded?.models ?? {};
    loaded = null;
    await Promise.allSettled([trace?.then((model) => model.release()), locator?.release()]);
  }

  async function load({ model, locator = null }: Wanted, modelsDir: string | null) {
    const registry = createRegistry({ extra: modelsDir, once: true });
    // Compares the whole manifest, including hashes, rather than the name, so that a model that was
    // replaced on disk is loaded again.
    const found = [await registry.find(model), await registry.findLocator(locator)];
    const wanted = JSON.stringify([modelsDir, ...found]);
    if (loaded?.isFor(wanted)) return loaded.models;
    await clear();
    // The thread opens this network while the code below reads and opens the larger ones.
    const opening = thread.open(await registry.openLocator(locator));
    const trace = Promise.all([registry.open(model), loadRuntime()]).then((opened) =>
      loadTraceModel(...opened),
    );
    let hasFailed = false;
    // The caller that awaits this reports the error; the next task makes a new attempt.
    trace.catch(() => {
      hasFailed = true;
    });
    const models = { trace, locator: opening, findCopiesInThread: thread.findCopies };
    loaded = { isFor: (other) => other === wanted && !hasFailed, models };
    return models;
  }

  return {
    /** @throws {ForensicsError} `model_not_found`, `model_integrity`, `runtime_missing`. */
    load: (wanted: Wanted, modelsDir: string | null) =>
      alone('models', () => load(wanted, modelsDir)),
    /** Releases the memory of the models, which after a large picture includes 300 MB of working memory. */
    clear: () => alone('models', clear),
  };
}
