/** A verified model, loaded: what it answers to pixels and to features. Knows tensors, not pictures or verdicts. */

import type { EmbeddingStatistics, ModelManifest } from './model.ts';
import type { VerifiedModel } from './registry.ts';
import { outputOf, type Runtime, type Session, sizedOutputOf } from './runtime.ts';

export interface HeadAnswer {
  /** `[passes, count, 3]`: raw real, fake and compression logits. */
  readonly logits: Float32Array;
  /** `[count, embedding dimension]`, unit length, without dropout. */
  readonly embeddings: Float32Array;
}

/**
 * Pixels in, numbers for each cell out.
 *
 * @param rgb - row-major RGB, width and height multiples of the cell.
 * @returns `[channels, height / cell, width / cell]`.
 */
export type ReadCells = (rgb: Uint8Array, width: number, height: number) => Promise<Float32Array>;

export interface TraceModel {
  readonly manifest: ModelManifest;
  readonly statistics: EmbeddingStatistics;
  readonly runtimeVersion: string;
  /** One feature vector for each cell. */
  readonly readFeatures: ReadCells;
  /**
   * The second branch: what each of its members says of the patch around a cell, or, near the border, of the nearest patch
   * inside. Null for a model of the network alone. The head expects its channels behind the features.
   */
  readonly readEnsemble: ReadCells | null;
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
  const { manifest, statistics } = verified;
  const { cellPx } = manifest.input;
  const [backbone, head, ensemble] = await Promise.all([
    runtime.openSession(verified.backbone),
    runtime.openSession(verified.head),
    verified.ensemble && runtime.openSession(verified.ensemble),
  ]);
  return {
    manifest,
    statistics,
    runtimeVersion: runtime.version,
    readFeatures: cellsReader(backbone, 'features', cellPx),
    readEnsemble: ensemble && cellsReader(ensemble, 'votes', cellPx),
    readHead: async (features, count, masks, passes) => {
      const answer = await head.run({
        features: { data: features, dims: [count, features.length / count] },
        masks: { data: masks, dims: [passes, masks.length / passes] },
      });
      return {
        logits: sizedOutputOf(answer, 'logits', passes * count * 3),
        embeddings: sizedOutputOf(answer, 'embedding', count * statistics.embedding.dimension),
      };
    },
    release: async () => {
      await Promise.all([backbone.release(), head.release(), ensemble?.release()]);
    },
  };
}

function cellsReader(session: Session, output: string, cellPx: number): ReadCells {
  return async (rgb, width, height) => {
    const answer = await session.run({ rgb: { data: rgb, dims: [1, height, width, 3] } });
    const values = outputOf(answer, output);
    const cells = (width / cellPx) * (height / cellPx);
    if (values.length > 0 && values.length % cells === 0) return values;
    throw new TypeError(`The model gives ${output} of another size.`);
  };
}
