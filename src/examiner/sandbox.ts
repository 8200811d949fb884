/**
 * The sandbox opens pictures. Everything that handles untrusted bytes (decoding, inference, drawing
 * over the picture) happens in a forked child process, so that a malicious file can end a child,
 * but never the program. The sandbox knows nothing about tenants, requests or databases.
 */

import { availableParallelism } from 'node:os';
import { extname, resolve } from 'node:path';
import { absolutePath } from '../ports/files/byte-names.ts';
import { type Limits, localLimits, type PictureSource } from '../image/picture.ts';
import { createPool, type Pool, type PoolStatus, type RunOptions } from './pool.ts';
import { type TaskName, tasks } from './tasks.ts';
import type { TaskContext } from './requests.ts';

export interface SandboxOptions {
  /** Folder of models in addition to those in the package. */
  readonly modelsDir?: string | null;
  /** Pictures examined at once, each in its own process, with a second core for the locator while one is free. */
  readonly poolSize?: number;
  readonly taskTimeoutMs?: number;
  /** Limit on the resident memory of one child. */
  readonly memoryLimitBytes?: number;
  readonly limits?: Partial<Limits>;
  /** PEM certificates of trusted signers of content credentials (C2PA); without them, no signer is trusted. */
  readonly trustList?: string | null;
  /** Children that were started before the other options were known; the sandbox ends them. */
  readonly children?: Pool;
}

/** Twenty times as long as the largest picture takes on one core of the development machine. */
const defaultTimeoutMs = 120_000;

/** A third more than the maximum that was measured for any picture (100 megapixels). */
const defaultMemoryLimitBytes = 1_800_000_000;

/** More children gain little, because each needs memory for a whole picture. */
const maxDefaultPoolSize = 4;

/** One method per task; see `tasks`. Fails with `inference_busy` if no child is free and `ifBusy` is `refuse`. */
export interface Sandbox extends Verbs {
  status(): PoolStatus;
  /** Lets running tasks finish, then ends the children. */
  close(): Promise<void>;
}

type Verbs = { readonly [Name in TaskName]: Verb<(typeof tasks)[Name]> };

type Verb<Perform> = Perform extends (request: infer Request, context: TaskContext) => infer Answer
  ? (request: Request, options?: RunOptions) => Answer
  : never;

export type Measurement = Awaited<ReturnType<Sandbox['measure']>>;

/** Creates a sandbox whose children start when they are first needed. */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const settings = {
    modelsDir: options.modelsDir ? resolve(options.modelsDir) : null,
    limits: { ...localLimits, ...options.limits },
    trustList: options.trustList ?? null,
  };
  const pool = options.children ?? createChildren(options);

  function verb(name: string) {
    return (request: { readonly source?: PictureSource }, runOptions?: RunOptions) => {
      const { busy, waiting } = pool.status();
      const atOnce = Math.min(pool.size, busy + waiting + 1);
      // Whether each of the tasks that will run at the same time has a second core.
      const hasSpareCore = 2 * atOnce <= availableParallelism();
      const { source } = request;
      // A child keeps the working directory in which it was forked, so relative paths must be resolved here.
      const hasPath = source !== undefined && 'path' in source;
      const fixed = hasPath && { source: { path: absolutePath(source.path) } };
      const task = {
        name,
        request: { ...request, ...fixed },
        settings: { ...settings, hasSpareCore },
      };
      return pool.run(task, runOptions);
    };
  }

  const verbs: unknown = Object.fromEntries(Object.keys(tasks).map((name) => [name, verb(name)]));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a child returns what its task does
  return { ...(verbs as Verbs), status: () => pool.status(), close: () => pool.close() };
}

/** Starts the children of a sandbox that will be created later. */
export function createChildren(
  options: Pick<SandboxOptions, 'poolSize' | 'taskTimeoutMs' | 'memoryLimitBytes'>,
): Pool {
  return createPool({
    entry: new URL(`./child-main${extname(import.meta.url)}`, import.meta.url),
    size: options.poolSize ?? Math.min(maxDefaultPoolSize, availableParallelism()),
    taskTimeoutMs: options.taskTimeoutMs ?? defaultTimeoutMs,
    memoryLimitBytes: options.memoryLimitBytes ?? defaultMemoryLimitBytes,
  });
}
