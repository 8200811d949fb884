/** Keeps the most recent models loaded, so that a warm child can start at once. */

import type { OpeningModels } from '../engine/schedule.ts';
import { createRegistry, type Registry } from '../inference/registry.ts';
import { loadRuntime } from '../inference/runtime.ts';
import { loadTraceModel, type TraceModel } from '../inference/networks.ts';
import { createMutex } from '../mutex.ts';
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
  // A picture that cannot be opened fails its task at once; the models still load when the next task asks for them.
  const alone = createMutex();
  let loaded: { isFor(wanted: string): boolean; readonly models: LoadedModels } | null = null;

  async function clear(): Promise<void> {
    const { trace, locator } = loaded?.models ?? {};
    loaded = null;
    await Promise.allSettled([trace?.then((model) => model.release()), locator?.release()]);
  }

  async function load({ model, locator = null }: Wanted, modelsDir: string | null) {
    const registry = createRegistry({ extra: modelsDir });
    // The whole manifest is compared, including hashes, instead of the name, so a model replaced on disk is loaded
    // again.
    const found = [await registry.find(model), await registry.findLocator(locator)];
    const wanted = JSON.stringify([modelsDir, ...found]);
    if (loaded?.isFor(wanted)) return loaded.models;
    await clear();
    // Its thread opens it while this one reads and opens the larger networks.
    const opening = thread.open(await registry.openLocator(locator));
    const trace = openTrace(registry, model);
    let hasFailed = false;
    // The caller that awaits it reports the error; the next task tries again.
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
    /** Releases the models' memory: about 300 MB of working memory after a large picture. */
    clear: () => alone('models', clear),
  };
}

async function openTrace(registry: Registry, id: string | null): Promise<TraceModel> {
  const [verified, runtime] = await Promise.all([registry.open(id), loadRuntime()]);
  return loadTraceModel(verified, runtime);
}
