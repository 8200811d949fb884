/**
 * The sandbox opens pictures. Every look at foreign bytes (decoding, inference, drawing over the picture) happens in a
 * forked child process, so that a hostile file can end a child but never the program. It knows no tenants, no
 * requests and no database.
 */

import { availableParallelism } from 'node:os';
import { extname, resolve } from 'node:path';
import { absolutePath } from '../ports/files/byte-names.ts';
import { type Limits, localLimits } from '../image/picture.ts';
import { createPool, type Pool, type PoolStatus, type RunOptions } from './pool.ts';
import { type TaskName, tasks } from './tasks.ts';
import type { PictureSource, TaskContext } from './requests.ts';

export interface SandboxOptions {
  /** A folder of further models beside those of the package. */
  readonly modelsDir?: string | null;
  /** Pictures examined at the same time, each in its own process; while cores are free, the localisation network takes a second one. */
  readonly poolSize?: number;
  readonly taskTimeoutMs?: number;
  /** Resident memory of one child. */
  readonly memoryLimitBytes?: number;
  readonly limits?: Partial<Limits>;
  /** PEM certificates of trusted signers of content credentials (C2PA); without them no signer is trusted. */
  readonly trustList?: string | null;
  /** Children that were started before the rest was known; the sandbox ends them. */
  readonly children?: Pool;
}

/** Twenty times what the largest picture takes on one core here. */
const defaultTimeoutMs = 120_000;

/** A third more than the most that a picture took (100 megapixels). */
const defaultMemoryLimitBytes = 1_800_000_000;

/** More children than this gain little: each needs memory for a whole picture. */
const maxDefaultPoolSize = 4;

/**
 * One verb for each task, documented in the table of tasks. `inference_busy` at once when no child is free and
 * `ifBusy` is `refuse`.
 */
export interface Sandbox extends Verbs {
  status(): PoolStatus;
  /** Lets running tasks end, then ends the children. */
  close(): Promise<void>;
}

type Verbs = { readonly [Name in TaskName]: Verb<(typeof tasks)[Name]> };

type Verb<Perform> = Perform extends (request: infer Request, context: TaskContext) => infer Answer
  ? (request: Request, options?: RunOptions) => Answer
  : never;

/** A pool of children, started when first needed. */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const settings = {
    modelsDir: options.modelsDir ? resolve(options.modelsDir) : null,
    limits: { ...localLimits, ...options.limits },
    trustList: options.trustList ?? null,
  };
  const pool = options.children ?? createChildren(options);

  function verb(name: string) {
    return (request: SomeRequest, runOptions?: RunOptions): Promise<unknown> =>
      pool.run(
        {
          name,
          request: withFixedPath(request),
          settings: { ...settings, hasSpareCore: hasSpareCore() },
        },
        runOptions,
      );
  }

  /** A second one for a task that comes now. */
  function hasSpareCore(): boolean {
    const { busy, waiting } = pool.status();
    return 2 * (busy + waiting + 1) <= availableParallelism();
  }

  const verbs = Object.fromEntries(Object.keys(tasks).map((name) => [name, verb(name)]));
  if (!isComplete(verbs)) throw new TypeError('A task has no verb.');
  return { ...verbs, status: () => pool.status(), close: () => pool.close() };
}

/** The children of a sandbox that is created later. */
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

/** A child returns the result of the function that a task names: both ends are this program in the same version. */
function isComplete(verbs: object): verbs is Verbs {
  return Object.keys(tasks).every((name) => name in verbs);
}

interface SomeRequest {
  readonly source?: PictureSource;
}

/** A child stays in the working directory it was forked in, so a relative path is resolved here. */
function withFixedPath(request: SomeRequest): SomeRequest {
  const { source } = request;
  if (source === undefined || !('path' in source)) return request;
  return { ...request, source: { path: absolutePath(source.path) } };
}
