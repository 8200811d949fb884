/**
 * Whether the models that runs use are what their manifests say. Asked every second, so files are read and hashed only when
 * a size or time changed; a run that failed for the model counts at once, whatever the files look like.
 */

import { type ErrorCode, ForensicsError } from '../errors.ts';
import type { Registry } from '../inference/registry.ts';
import type { Sandbox } from '../examiner/sandbox.ts';

export interface ModelHealth {
  /** @throws {ForensicsError} `model_*`, `runtime_missing`. */
  check(): Promise<void>;
  /** The same verb, whose outcomes are noted. */
  watch(examine: Sandbox['examine']): Sandbox['examine'];
}

interface ModelHealthParts {
  readonly registry: Pick<Registry, 'find' | 'open' | 'openLocator' | 'stampDefaults'>;
  readonly now: () => Date;
}

/** What the last reading of the files found. */
interface Reading {
  readonly stamp: string;
  readonly cause: ForensicsError | null;
}

/** The model of a client's choice that is unknown is the client's mistake. */
const brokenModel: readonly ErrorCode[] = ['model_integrity', 'runtime_missing'];
// Where no run is asked for any more because we are unhealthy, none could show that all is well again.
const runFailureMs = 10 * 60_000;

export function createModelHealth({ registry, now }: ModelHealthParts): ModelHealth {
  let reading: Reading | null = null;
  let failedRun: { readonly cause: ForensicsError; readonly at: number } | null = null;

  async function readAgain(stamp: string): Promise<Reading> {
    try {
      await registry.open(null);
      await registry.openLocator();
      return { stamp, cause: null };
    } catch (error) {
      if (error instanceof ForensicsError) return { stamp, cause: error };
      throw error;
    }
  }

  async function noteFailure(model: string | null, error: unknown): Promise<void> {
    if (!(error instanceof ForensicsError) || !brokenModel.includes(error.code)) return;
    const isDefault = model === null || (await registry.find(null)).id === model;
    if (isDefault) failedRun = { cause: error, at: now().getTime() };
  }

  return {
    async check() {
      const stamp = await registry.stampDefaults();
      const isOver = failedRun !== null && now().getTime() - failedRun.at >= runFailureMs;
      if (reading?.stamp !== stamp || isOver) {
        reading = await readAgain(stamp);
        failedRun = null;
      }
      const cause = reading.cause ?? failedRun?.cause;
      if (cause) throw cause;
    },
    watch:
      (examine) =>
      async (...asked) => {
        const [{ options }] = asked;
        try {
          const examination = await examine(...asked);
          failedRun = null;
          return examination;
        } catch (error) {
          await noteFailure(options.model, error).catch(() => undefined);
          throw error;
        }
      },
  };
}
