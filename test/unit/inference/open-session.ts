/** Loads ONNX Runtime and runs a model once, in a process of its own. */

import { createRegistry } from '../../../src/inference/registry.ts';
import { loadRuntime } from '../../../src/inference/runtime.ts';
import { loadTraceModel } from '../../../src/inference/networks.ts';

await loadTraceModel(await createRegistry().open(null), await loadRuntime());
