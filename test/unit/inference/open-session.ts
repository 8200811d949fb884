/** Loads ONNX Runtime and a model in its own process. */

import { createRegistry } from '../../../src/inference/registry.ts';
import { loadRuntime } from '../../../src/inference/runtime.ts';
import { loadTraceModel } from '../../../src/inference/networks.ts';

await loadTraceModel(await createRegistry().open(null), await loadRuntime());
