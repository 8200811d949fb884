/**
 * What counts for a picture besides its patches: squares in its own pixels where it is too large to be read in full, and all of
 * it at once, small, for composition, light and what else only the whole shows.
 *
 * The cost is bounded: a picture above `mostPixels` is scaled to that for its patches and maps, whatever its size.
 */

import { scalePixels } from '../image/codec.ts';
import { cutPixels, type Planes, toPlanes } from '../image/pixels.ts';
import type { Views } from '../inference/manifest.ts';
import type { TraceModel } from '../inference/networks.ts';
import {
  coveringGrid,
  type FeatureGrid,
  insideGrid,
  meanFeatures,
  readFeatureGrid,
} from './feature-grid.ts';
import { cellTextures, mostTextured } from './patches.ts';

export interface ViewFeatures {
  /** `[tiles, channels]`, none where the patches are of the picture's own pixels already. */
  readonly tiles: readonly Float32Array[];
  /** `[channels]` of the whole picture. */
  readonly whole: Float32Array;
}

/** The picture itself, or scaled to `mostPixels`: what the patches and the maps are of. */
export async function toReadingSize(picture: Planes, { mostPixels }: Views): Promise<Planes> {
  const { width, height } = picture.facts;
  if (width * height <= mostPixels) return picture;
  return scaledBy(picture, Math.sqrt(mostPixels / (width * height)));
}

/** @param cells - of the picture in its own size; null where it was scaled to be read. */
export async function readViews(
  picture: Planes,
  cells: FeatureGrid | null,
  model: TraceModel,
): Promise<ViewFeatures> {
  const { views } = model.manifest;
  const { width, height } = picture.facts;
  const readMean = async (part: Planes) => meanFeatures(await readFeatureGrid(part, model));
  const tiles: Float32Array[] = [];
  if (cells === null) {
    for (const tile of texturedTiles(picture, views)) tiles.push(await readMean(tile));
  }
  const factor = views.wholePx / Math.max(width, height);
  // A picture that small was read as a whole for its patches already.
  if (cells !== null && factor >= 1) return { tiles, whole: meanFeatures(cells) };
  return { tiles, whole: await readMean(factor >= 1 ? picture : await scaledBy(picture, factor)) };
}

/** The most textured ones of a grid without overlap, most textured first. */
function texturedTiles(picture: Planes, { tilePx, tiles }: Views): readonly Planes[] {
  const inside = insideGrid(picture.facts, tilePx);
  const grid = coveringGrid(picture.facts, tilePx);
  const positions = Array.from({ length: inside.columns * inside.rows }, (_, at) => ({
    column: at % inside.columns,
    row: Math.floor(at / inside.columns),
  }));
  const textures = cellTextures(picture, grid, tilePx);
  const window = { columns: 1, rows: 1 };
  return mostTextured(positions, textures, { grid, window, count: tiles }).map(
    ({ column, row }) => {
      const [left, top] = [column * tilePx, row * tilePx];
      const width = Math.min(tilePx, picture.facts.width - left);
      const height = Math.min(tilePx, picture.facts.height - top);
      return toPlanes(cutPixels(picture, { left, top, width, height }));
    },
  );
}

async function scaledBy({ rgb, facts }: Planes, factor: number): Promise<Planes> {
  const width = Math.max(1, Math.round(facts.width * factor));
  const height = Math.max(1, Math.round(facts.height * factor));
  return toPlanes(await scalePixels({ rgb, ...facts }, { width, height }));
}
