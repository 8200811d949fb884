/** Loads verified models, and returns their outputs. Knows tensors, but not pictures or verdicts. */

import {
  blockPx,
  type EmbeddingStatistics,
  type LocateManifest,
  type ModelManifest,
} from '../contract/manifest.ts';
import type { VerifiedModel, VerifiedLocator } from './registry.ts';
import { readOutput, type Runtime, type Session } from './runtime.ts';
import { pictureKinds } from '../contract/vocabulary.ts';
import type { Size, Pixels } from '../image/pixels.ts';

export interface TraceModel {
  readonly manifest: ModelManifest;
  readonly statistics: EmbeddingStatistics;
  readonly runtimeVersion: string;
  /**
   * One feature vector for each cell.
   *
   * @param rgb - row-major RGB; width and height are multiples of the cell size.
   * @returns `[channels, height / cell, width / cell]`.
   */
  readFeatures(rgb: Uint8Array, width: number, height: number): Promise<Float32Array>;
  /**
   * @param features - `[count, channels]`.
   * @param masks - `[passes, channels]`, dropout multipliers: 0 or 1 / (1 - rate).
   * @returns `logits`: `[passes, count, 3]`, raw real, fake and compression logits; `embeddings`: `[count, dimension]`,
   *   unit length, without dropout.
   */
  readHead(
    features: Float32Array,
    count: number,
    masks: Float32Array,
    passes: number,
  ): Promise<{ readonly logits: Float32Array; readonly embeddings: Float32Array }>;
  /** Null for a model without a transformer. */
  readonly readTransformer: ReadTransformer | null;
  release(): Promise<void>;
}

/**
 * @param rgb - row-major RGB, `sidePx` x `sidePx`.
 * @param input - whether this is the whole picture, squeezed into a square, or a full-resolution square.
 * @returns `generated`: log odds that the picture was generated; `kinds`: one logit for each of the `pictureKinds`,
 *   meaningful only for the view.
 */
type ReadTransformer = (
  rgb: Uint8Array,
  input: 'view' | 'square',
) => Promise<{ readonly generated: number; readonly kinds: Float32Array }>;

export async function loadTraceModel(
  verified: VerifiedModel,
  runtime: Runtime,
): Promise<TraceModel> {
  const { manifest, statistics } = verified;
  const { cellPx } = manifest.input;
  // One by one, because each blocks this thread, which has to pass on the picture as soon as it is decoded.
  const backbone = await runtime.openSession(verified.backbone);
  const head = await runtime.openSession(verified.head);
  const transformer = verified.transformer && (await runtime.openSession(verified.transformer));
  return {
    manifest,
    statistics,
    runtimeVersion: runtime.version,
    readFeatures: async (rgb, width, height) => {
      const answer = await backbone.run({ rgb: { data: rgb, dims: [1, height, width, 3] } });
      const values = readOutput(answer, 'features');
      const cells = (width / cellPx) * (height / cellPx);
      if (values.length > 0 && values.length % cells === 0) return values;
      throw new TypeError('The model returns features of the wrong size.');
    },
    readHead: async (features, count, masks, passes) => {
      const answer = await head.run({
        features: { data: features, dims: [count, features.length / count] },
        masks: { data: masks, dims: [passes, masks.length / passes] },
      });
      return {
        logits: readOutput(answer, 'logits', passes * count * 3),
        embeddings: readOutput(answer, 'embedding', count * statistics.embedding.dimension),
      };
    },
    readTransformer: transformer && toReader(transformer, manifest),
    release: async () => {
      await Promise.all([backbone.release(), head.release(), transformer?.release()]);
    },
  };
}

function toReader(session: Session, { transformer }: ModelManifest): ReadTransformer | null {
  if (transformer === null) return null;
  const { sidePx } = transformer;
  return async (rgb, input) => {
    const answer = await session.run({
      rgb: { data: rgb, dims: [1, sidePx, sidePx, 3] },
      square: { data: Float32Array.of(input === 'square' ? 1 : 0), dims: [1] },
    });
    return {
      generated: readOutput(answer, 'generated', 1)[0]!,
      kinds: readOutput(answer, 'kinds', pictureKinds.length),
    };
  };
}

export interface LocateModel {
  readonly manifest: LocateManifest;
  /**
   * @param pixels - row-major RGB whose first pixel is the corner of a JPEG block.
   * @param table - the 64 luma quantisation steps with which the pixels were decoded, row-major; null if unknown.
   */
  locate(pixels: Pixels, table: readonly number[] | null): Promise<ReturnType<typeof toAnswer>>;
  release(): Promise<void>;
}

/**
 * Above this many pixels, the network is closed afterwards, and opened again for the next picture (0.2 s). Otherwise
 * its working memory, about 130 MB per megapixel, would stay allocated while the other methods run.
 */
const maxPixelsKeptOpen = 1_500_000;

export async function loadLocateModel(
  { manifest, network }: VerifiedLocator,
  runtime: Runtime,
): Promise<LocateModel> {
  const { cellPx } = manifest.input;
  let session: Session | null = await runtime.openSession(network);

  async function release(): Promise<void> {
    await session?.release();
    session = null;
  }

  return {
    manifest,
    release,
    locate: async ({ rgb, width, height }, table) => {
      session ??= await runtime.openSession(network);
      const answer = await session.run({
        rgb: { data: rgb, dims: [1, height, width, 3] },
        table: { data: Float32Array.from(table ?? noTable), dims: [1, noTable.length] },
      });
      const found = toAnswer(answer, { width, height, cellPx });
      if (width * height > maxPixelsKeptOpen) await release();
      return found;
    },
  };
}

/** The network's input for pixels that do not come from a JPEG file. */
const noTable: readonly number[] = Array.from({ length: 64 }, () => 0);

/**
 * @returns the grid that covers the picture, in cells of the manifest's `cellPx`; for each cell, in row-major order, the
 *   logit that it was changed and the logit that this output is correct (`trust`); `score`, the logit of the probability
 *   that anything in the picture was changed.
 * @throws {TypeError} when the network's output does not match its manifest.
 */
function toAnswer(
  answer: Readonly<Record<string, Float32Array>>,
  { width, height, cellPx }: Size & { readonly cellPx: number },
) {
  const [columns, rows] = [Math.ceil(width / cellPx), Math.ceil(height / cellPx)];
  const across = Math.ceil(width / blockPx) * (blockPx / cellPx);
  const down = Math.ceil(height / blockPx) * (blockPx / cellPx);
  const [score = NaN] = readOutput(answer, 'score');
  if (!Number.isFinite(score))
    throw new TypeError('The model returns a score that is not a number.');
  // Cells of whole blocks outside the picture are dropped. Copied, because the network may be closed next.
  const insideMap = (name: string) => {
    const map = readOutput(answer, name, across * down);
    const inside = new Float32Array(columns * rows);
    for (let row = 0; row < rows; row++) {
      inside.set(map.subarray(row * across, row * across + columns), row * columns);
    }
    return inside;
  };
  return { columns, rows, changed: insideMap('changed'), trust: insideMap('trust'), score };
}
