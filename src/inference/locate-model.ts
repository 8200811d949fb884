/** A verified localisation model, loaded: where a picture was changed. Knows tensors, not pictures or verdicts. */

import type { Pixels } from '../image/codec.ts';
import { blockPx } from './locate-manifest.ts';
import type { LocateManifest } from './model.ts';
import type { VerifiedLocator } from './registry.ts';
import { outputOf, type Runtime, type Session, sizedOutputOf } from './runtime.ts';

export interface LocateAnswer {
  /** Cells that cover the picture, row-major, of the manifest's `cellPx`. */
  readonly columns: number;
  readonly rows: number;
  /** Logit of each cell that it was changed, and that this is right. */
  readonly changed: Float32Array;
  readonly trust: Float32Array;
  /** Logit that something in the picture was changed. */
  readonly score: number;
}

export interface LocateModel {
  readonly manifest: LocateManifest;
  readonly runtimeVersion: string;
  /**
   * @param pixels - row-major RGB, its first pixel in the corner of a JPEG block.
   * @param table - the 64 luma quantisation steps that the pixels were decoded with, row by row; null where there are none.
   */
  locate(pixels: Pixels, table: readonly number[] | null): Promise<LocateAnswer>;
  release(): Promise<void>;
}

/**
 * Pixels. After a larger picture the network is closed and opened again for the next, which takes 0.2 s: its working space, some
 * 220 MB a megapixel, would otherwise stay while the other methods look at the picture.
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
    runtimeVersion: runtime.version,
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

/** How the network is told that the pixels come from no JPEG file. */
const noTable: readonly number[] = Array.from({ length: 64 }, () => 0);

interface Covered {
  readonly width: number;
  readonly height: number;
  readonly cellPx: number;
}

/** @throws {TypeError} when the network answers otherwise than its manifest says. */
function toAnswer(
  answer: Readonly<Record<string, Float32Array>>,
  { width, height, cellPx }: Covered,
): LocateAnswer {
  const [columns, rows] = [Math.ceil(width / cellPx), Math.ceil(height / cellPx)];
  const across = Math.ceil(width / blockPx) * (blockPx / cellPx);
  const down = Math.ceil(height / blockPx) * (blockPx / cellPx);
  const [score = NaN] = outputOf(answer, 'score');
  if (!Number.isFinite(score)) throw new TypeError('The model gives a score that is no number.');
  // The network answers for whole blocks; cells that lie beyond the picture are cut away. A copy, since it may be closed next.
  const mapOf = (name: string) => {
    const map = sizedOutputOf(answer, name, across * down);
    const inside = new Float32Array(columns * rows);
    for (let row = 0; row < rows; row++) {
      inside.set(map.subarray(row * across, row * across + columns), row * columns);
    }
    return inside;
  };
  return { columns, rows, changed: mapOf('changed'), trust: mapOf('trust'), score };
}
