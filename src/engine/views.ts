/**
 * Reads a picture in two further ways beside its patches: full-resolution squares if it is too large to be read in
 * full, and a small view of the whole, for composition, light and other global properties.
 *
 * The cost is bounded: for patches and maps, a picture above `maxPixels` is scaled down to that size.
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
  /** `[tiles, channels]`; empty if the patches already are at full resolution. */
  readonly tiles: readonly Float32Array[];
  /** `[channels]`, features of the whole picture. */
  readonly whole: Float32Array;
}

/** The picture itself, or a copy scaled down to `mostPixels`, on which patches and maps are based. */
export async function toReadingSize(
  picture: Planes,
  { mostPixels: maxPixels }: Views,
): Promise<Planes> {
  const { width, height } = picture.facts;
  if (width * height <= maxPixels) return picture;
  return scaledBy(picture, Math.sqrt(maxPixels / (width * height)));
}

/** @param cells - features of the picture at its own size; null if it was scaled down to be read. */
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
  // The patches already covered a picture this small as a whole.
  if (cells !== null && factor >= 1) return { tiles, whole: meanFeatures(cells) };
  return { tiles, whole: await readMean(factor >= 1 ? picture : await scaledBy(picture, factor)) };
}

/** The most textured tiles of a non-overlapping grid, most textured first. */
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
