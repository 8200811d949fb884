/** The models that are measured. */

import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { photographLikeness } from '../../src/detectors/photograph-likeness.ts';
import { traceNetwork } from '../../src/detectors/network-findings.ts';
import type { Examining } from './examine-under-all.ts';
import { ForensicsError } from '../../src/contract/errors.ts';
import { parseAnyManifest } from '../../src/contract/manifest.ts';
import {
  createRegistry,
  openModel,
  packagedDir,
  type VerifiedModel,
} from '../../src/inference/registry.ts';
import { loadRuntime } from '../../src/inference/runtime.ts';
import { loadTraceModel, loadLocateModel } from '../../src/inference/networks.ts';

export interface Measured extends Examining {
  /** Of the trace model. */
  readonly folder: string;
}

/**
 * @param named - folder of the trace model; null for the newest in the package. The localisation
 * model always comes from the package.
 * @throws {ForensicsError} `model_not_found`, `model_integrity`.
 */
export async function openModels(named: string | null): Promise<Measured> {
  const [registry, runtime] = [createRegistry(), await loadRuntime()];
  const verified = await (named === null ? registry.open(null) : openNamed(named));
  return {
    folder: named === null ? join(packagedDir, verified.manifest.id) : resolve(named),
    trace: await loadTraceModel(verified, runtime),
    locator: await loadLocateModel(await registry.openLocator(), runtime),
  };
}

/**
 * The traces alone, in a quarter of the time: no method looks for changes, so none is suspected.
 */
export function withoutChanges<Models extends Measured>(models: Models): Models {
  const { manifest } = models.locator;
  const { cellPx } = manifest.input;
  return {
    ...models,
    methods: [photographLikeness, traceNetwork],
    locator: {
      ...models.locator,
      locate: ({ width, height }) => {
        const [columns, rows] = [Math.ceil(width / cellPx), Math.ceil(height / cellPx)];
        const changed = nothing(columns, rows);
        return Promise.resolve({ columns, rows, changed, trust: changed, score: -4 });
      },
    },
  };
}

/** What to do about a damaged file. */
const remedy = 'name another folder with --model';

/** Not through a registry: a folder next to it may contain a model with the same id. */
async function openNamed(folder: string): Promise<VerifiedModel> {
  const text = await readFile(join(folder, 'manifest.json'), 'utf8').catch((cause: unknown) => {
    throw new ForensicsError('model_not_found', 'The folder contains no manifest.json.', { cause });
  });
  const manifest = parseAnyManifest(text);
  if (manifest.type === 'image') return openModel({ folder, manifest, remedy });
  throw new ForensicsError('model_not_found', '--model must name the folder of a trace model.');
}

function nothing(columns: number, rows: number): Float32Array {
  return new Float32Array(columns * rows).fill(-4);
}
