/** A verified localisation model, loaded: where a picture was changed. Knows tensors, not pictures or verdicts. */

import type { Pixels } from '../image/resave.ts';
import { blockPx } from './locate-manifest.ts';
import type { LocateManifest } from './model.ts';
import type { VerifiedLocator } from './registry.ts';
import { outputOf, type Runtime } from './runtime.ts';

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

export async function loadLocateModel(
  { manifest, network }: VerifiedLocator,
  runtime: Runtime,
): Promise<LocateModel> {
  const session = await runtime.openSession(network);
  const { cellPx } = manifest.input;
  return {
    manifest,
    runtimeVersion: runtime.version,
    locate: async ({ rgb, width, height }, table) => {
      const answer = await session.run({
        rgb: { data: rgb, dims: [1, height, width, 3] },
        table: { data: Float32Array.from(table ?? noTable), dims: [1, noTable.length] },
      });
      const [score = NaN] = outputOf(answer, 'score');
      if (!Number.isFinite(score))
        throw new TypeError('The model gives a score that is no number.');
      const mapOf = (name: string) => insideOf(outputOf(answer, name), { width, height, cellPx });
      return {
        columns: Math.ceil(width / cellPx),
        rows: Math.ceil(height / cellPx),
        changed: mapOf('changed'),
        trust: mapOf('trust'),
        score,
      };
    },
    release: () => session.release(),
  };
}

/** How the network is told that the pixels come from no JPEG file. */
const noTable: readonly number[] = Array.from({ length: 64 }, () => 0);

interface Covered {
  readonly width: number;
  readonly height: number;
  readonly cellPx: number;
}

/** The network answers for whole blocks; cells that lie beyond the picture are cut away. */
function insideOf(map: Float32Array, { width, height, cellPx }: Covered): Float32Array {
  const across = Math.ceil(width / blockPx) * (blockPx / cellPx);
  const down = Math.ceil(height / blockPx) * (blockPx / cellPx);
  if (map.length !== across * down) throw new TypeError('The model gives a map of another size.');
  const [columns, rows] = [Math.ceil(width / cellPx), Math.ceil(height / cellPx)];
  if (columns === across) return map.subarray(0, columns * rows);
  const inside = new Float32Array(columns * rows);
  for (let row = 0; row < rows; row++) {
    inside.set(map.subarray(row * across, row * across + columns), row * columns);
  }
  return inside;
}
