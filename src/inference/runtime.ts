/** The only file that uses ONNX Runtime. Each model has one thread, so that the same input gives the same bytes. */

import { createRequire } from 'node:module';
import type { InferenceSession, Tensor as OrtTensor } from 'onnxruntime-common';
import { ForensicsError } from '../contract/errors.ts';

interface Tensor {
  readonly data: Uint8Array | Float32Array;
  readonly dims: readonly number[];
}

export interface Session {
  /** Blocks the event loop until it is done, so call it only in a child process. */
  run(inputs: Readonly<Record<string, Tensor>>): Promise<Readonly<Record<string, Float32Array>>>;
  release(): Promise<void>;
}

export interface Runtime {
  readonly version: string;
  openSession(model: Uint8Array): Promise<Session>;
}

interface OrtModule {
  readonly InferenceSession: typeof InferenceSession;
  readonly Tensor: typeof OrtTensor;
  readonly env: { readonly versions: { readonly common: string; readonly node?: string } };
}

/**
 * Measured on one core, with the trace network at 1024 x 1024: 291 MB at most and 0.30 s with the
 * arena but no memory patterns, 454 MB and 0.30 s with both, 340 MB and 0.52 s without the arena.
 */
const sessionOptions: InferenceSession.SessionOptions = {
  executionProviders: ['cpu'],
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
  graphOptimizationLevel: 'all',
  enableCpuMemArena: true,
  enableMemPattern: false,
  logSeverityLevel: 3,
};

/**
 * Loads the ONNX Runtime that is bundled in the published package, or else the installed one. The bundled copy comes
 * first because it is the version that was tested; one found in a parent folder could be any version.
 *
 * @param loaders - places to look, in order.
 * @throws {ForensicsError} `runtime_missing` if none can be loaded on this platform.
 */
export async function loadRuntime(
  loaders: readonly (() => Promise<OrtModule>)[] = [
    // `vendor/` is beside both `src/` and `dist/`, so the same relative path works from either.
    async () => createRequire(import.meta.url)('../../vendor/onnxruntime-node/dist/index.js'),
    async () => import('onnxruntime-node'),
  ],
): Promise<Runtime> {
  // From 1.29, the official builds for Linux and macOS report each session, with hashes of the model, to Microsoft, and
  // store a machine identifier (https://github.com/microsoft/onnxruntime/pull/29843). The library reads this once.
  process.env['ORT_DISABLE_TELEMETRY'] = '1';
  const ort = await loadFirst(loaders);
  return {
    version: ort.env.versions.node ?? ort.env.versions.common,
    openSession: async (model) => {
      const session = await ort.InferenceSession.create(model, sessionOptions);
      return {
        run: async (inputs) => {
          const answers = await session.run(
            mapValues(inputs, ({ data, dims }) =>
              data instanceof Float32Array
                ? new ort.Tensor('float32', data, dims)
                : new ort.Tensor('uint8', data, dims),
            ),
          );
          return mapValues(answers, toFloats);
        },
        release: () => session.release(),
      };
    },
  };
}

async function loadFirst(loaders: readonly (() => Promise<OrtModule>)[]): Promise<OrtModule> {
  const failures: unknown[] = [];
  for (const load of loaders) {
    try {
      return await load();
    } catch (error) {
      failures.push(error);
    }
  }
  const platform = `${process.platform}-${process.arch}`;
  throw new ForensicsError(
    'runtime_missing',
    `ONNX Runtime cannot be loaded on ${platform}. The package includes it for linux-x64 (glibc) and darwin-arm64: reinstall forensics there; elsewhere install it as well: npm install -g onnxruntime-node.`,
    { cause: new AggregateError(failures) },
  );
}

function mapValues<From, To>(
  values: Readonly<Record<string, From>>,
  map: (value: From, name: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(values).map(([name, it]) => [name, map(it, name)]));
}

function toFloats(tensor: OrtTensor, name: string): Float32Array {
  if (tensor.data instanceof Float32Array) return tensor.data;
  throw new TypeError(`The model's output ${name} is ${tensor.type}, not float32.`);
}

/** @throws {TypeError} when the model does not have the output that its manifest names, or not of this length. */
export function readOutput(
  answer: Readonly<Record<string, Float32Array>>,
  name: string,
  length?: number,
): Float32Array {
  const output = answer[name];
  if (!output) throw new TypeError(`The model returns no output named ${name}.`);
  if (length === undefined || output.length === length) return output;
  throw new TypeError(`The model returns ${name} of the wrong size.`);
}
