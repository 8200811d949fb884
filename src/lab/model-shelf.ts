/** Keeps the last model loaded, so that a warm child starts to read at once. */

import { createRegistry } from '../inference/registry.ts';
import { loadRuntime } from '../inference/runtime.ts';
import { loadTraceModel, type TraceModel } from '../inference/trace-model.ts';

export interface ModelShelf {
  /** @throws {ForensicsError} `model_not_found`, `model_integrity`, `runtime_missing`. */
  take(id: string | null, modelsDir: string | null): Promise<TraceModel>;
  /** Gives the model's memory back: some 300 MB of working space after a large picture. */
  clear(): Promise<void>;
}

export function createModelShelf(): ModelShelf {
  let loaded: { readonly description: string; readonly model: TraceModel } | null = null;

  async function clear(): Promise<void> {
    await loaded?.model.release();
    loaded = null;
  }

  return {
    clear,
    take: async (id, modelsDir) => {
      const registry = createRegistry({ extra: modelsDir });
      // By its whole manifest, hashes included, not by its name: a model that was replaced on the disk is loaded anew.
      const description = JSON.stringify(await registry.find(id));
      if (loaded?.description === description) return loaded.model;
      await clear();
      const model = await loadTraceModel(await registry.open(id), await loadRuntime());
      loaded = { description: JSON.stringify(model.manifest), model };
      return model;
    },
  };
}
