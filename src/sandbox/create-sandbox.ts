/** Opens the sandbox: a pool of children, started when first needed. */

import { availableParallelism } from 'node:os';
import { extname, resolve } from 'node:path';
import { decisionStrategies } from '../contract/vocabulary.ts';
import type { ExamineOptions } from '../engine/result.ts';
import { ForensicsError } from '../errors.ts';
import { defaultLimits, type Limits } from '../image/picture.ts';
import { createPool, type RunHow } from './pool.ts';
import type { Sandbox, PictureSource } from './sandbox.ts';
import { isSandboxAnswer, type SandboxTask } from './tasks.ts';

export interface SandboxOptions {
  /** A folder of further models beside those of the package. */
  readonly modelsDir?: string | null;
  /** Pictures examined at the same time, each in its own process of one thread. */
  readonly poolSize?: number;
  readonly taskTimeoutMs?: number;
  /** Resident memory of one child. */
  readonly memoryLimitBytes?: number;
  readonly limits?: Partial<Limits>;
  /** PEM certificates of trusted signers of content credentials (C2PA); without them no signer is trusted. */
  readonly trustList?: string | null;
}

/** Twenty times what the largest picture takes on one core here. */
const defaultTimeoutMs = 120_000;

/** A third more than the most that a picture took (12 megapixels), while the localisation network sees it as a whole. */
const defaultMemoryLimitBytes = 1_800_000_000;

/** More children than this gain little: each needs memory for a whole picture. */
const mostByDefault = 4;

export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const settings = {
    modelsDir: options.modelsDir ? resolve(options.modelsDir) : null,
    limits: { ...defaultLimits, ...options.limits },
    trustList: options.trustList ?? null,
  };
  const pool = createPool({
    entry: new URL(`./child-main${extname(import.meta.url)}`, import.meta.url),
    size: options.poolSize ?? Math.min(mostByDefault, availableParallelism()),
    taskTimeoutMs: options.taskTimeoutMs ?? defaultTimeoutMs,
    memoryLimitBytes: options.memoryLimitBytes ?? defaultMemoryLimitBytes,
  });

  async function ask(order: SandboxTask['order'], how?: RunHow) {
    const answer = await pool.run({ settings, order } satisfies SandboxTask, how);
    if (isSandboxAnswer(answer)) return answer;
    throw new TypeError('The child answered something that is no answer.');
  }

  return {
    examine: async (request, how) => {
      checkOptions(request.options);
      const source = fixedSource(request.source);
      const answer = await ask({ kind: 'examine', request: { ...request, source } }, how);
      if (answer.kind === 'examine') return answer.examination;
      throw new TypeError('The child answered another question.');
    },
    render: async (request, how) => {
      const source = fixedSource(request.source);
      const answer = await ask({ kind: 'render', request: { ...request, source } }, how);
      if (answer.kind === 'render') return answer.rendering;
      throw new TypeError('The child answered another question.');
    },
    measure: async (request, how) => {
      checkSeed(request.options.seed);
      const source = fixedSource(request.source);
      const answer = await ask({ kind: 'measure', request: { ...request, source } }, how);
      if (answer.kind === 'measure') return answer.measurement;
      throw new TypeError('The child answered another question.');
    },
    compare: async (one, other) => {
      const answer = await ask({ kind: 'compare', one, other });
      if (answer.kind === 'compare') return answer.difference;
      throw new TypeError('The child answered another question.');
    },
    status: () => pool.status(),
    close: () => pool.close(),
  };
}

/** A wrong strategy would find no thresholds, and without thresholds everything would be decided. */
function checkOptions({ decisionStrategy, seed }: ExamineOptions): void {
  if (!decisionStrategies.includes(decisionStrategy)) {
    throw new ForensicsError(
      'invalid_request',
      `The decision strategy must be one of ${decisionStrategies.join(', ')}.`,
    );
  }
  checkSeed(seed);
}

function checkSeed(seed: number): void {
  if (!Number.isSafeInteger(seed)) {
    throw new ForensicsError('invalid_request', 'The seed must be a whole number.');
  }
}

/** A child keeps the working directory it was forked in, so a relative path is resolved here. */
function fixedSource(source: PictureSource): PictureSource {
  return 'path' in source ? { path: resolve(source.path) } : source;
}
