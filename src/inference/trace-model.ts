/** A verified model, loaded: what it answers to pixels and to features. Knows tensors, not pictures or verdicts. */

import type { EmbeddingStatistics, ModelManifest } from './model.ts';
import type { VerifiedModel } from './registry.ts';
import type { Runtime } from './runtime.ts';

export interface HeadAnswer {
  /** `[passes, count, 3]`: raw real, fake and compression logits. */
  readonly logits: Float32Array;
  /** `[count, embedding dimension]`, unit length, without dropout. */
  readonly embeddings: Float32Array;
}

export interface TraceModel {
  readonly manifest: ModelManifest;
  readonly statistics: EmbeddingStatistics;
  readonly runtimeVersion: string;
  /**
   * One feature vector for each cell.
   *
   * @param rgb - row-major RGB, width and height multiples of the cell.
   * @returns `[channels, height / cell, width / cell]`.
   */
  readFeatures(rgb: Uint8Array, width: number, height: number): Promise<Float32Array>;
  /**
   * @param features - `[count, channels]`.
   * @param masks - `[passes, channels]` of dropout multipliers: 0 or 1 / (1 - rate).
   */
  readHead(
    features: Float32Array,
    count: number,
    masks: Float32Array,
    passes: number,
  ): Promise<HeadAnswer>;
  release(): Promise<void>;
}

export async function loadTraceModel(
  verified: VerifiedModel,
  runtime: Runtime,
): Promise<TraceModel> {
  const [backbone, head] = await Promise.all([
    runtime.openSession(verified.backbone),
    runtime.openSession(verified.head),
  ]);
  return {
    manifest: verified.manifest,
    statistics: verified.statistics,
    runtimeVersion: runtime.version,
    readFeatures: async (rgb, width, height) => {
      const answer = await backbone.run({ rgb: { data: rgb, dims: [1, height, width, 3] } });
      return outputOf(answer, 'features');
    },
    readHead: async (features, count, masks, passes) => {
      const answer = await head.run({
        features: { data: features, dims: [count, features.length / count] },
        masks: { data: masks, dims: [passes, masks.length / passes] },
      });
      return { logits: outputOf(answer, 'logits'), embeddings: outputOf(answer, 'embedding') };
    },
    release: async () => {
      await Promise.all([backbone.release(), head.release()]);
    },
  };
}

function outputOf(answer: Readonly<Record<string, Float32Array>>, name: string): Float32Array {
  const output = answer[name];
  if (!output) throw new TypeError(`The model gives no output named ${name}.`);
  return output;
}
