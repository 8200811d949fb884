/**
 * What a model with `views` looks at beside the patches of the picture: squares of its own pixels where the picture is too large
 * to be read in full, and all of it at once, small, for composition, light and what else only the whole shows.
 *
 * The cost is bounded: a picture above `mostPixels` is scaled to that many for its patches and maps, whatever its size.
 */

import { scalePixels } from '../image/codec.ts';
import { cutPixels, type Planes, toPlanes } from '../image/pixels.ts';
import type { ModelManifest, Views } from '../inference/model.ts';
import type { TraceModel } from '../inference/networks.ts';
import { coveringGrid, type FeatureGrid, insideGrid } from './patches.ts';
import { cellTextures, mostTextured } from './texture.ts';
import { readFeatureGrid } from './tiles.ts';

export interface ViewFeatures {
  /** `[tiles, channels]`, none where the patches are of the picture's own pixels already. */
  readonly tiles: readonly Float32Array[];
  /** `[channels]` of the whole picture. */
  readonly whole: Float32Array;
}

/** The picture itself, or scaled to `mostPixels`: what the patches and the maps are of. */
export async function toReadingSize(picture: Planes, { views }: ModelManifest): Promise<Planes> {
  const { width, height } = picture.facts;
  if (views === null || width * height <= views.mostPixels) return picture;
  return scaledBy(picture, Math.sqrt(views.mostPixels / (width * height)));
}

/** @param cells - of the picture in its own size; null where it was scaled to be read. */
export async function readViews(
  picture: Planes,
  cells: FeatureGrid | null,
  model: TraceModel,
  views: Views,
): Promise<ViewFeatures> {
  const { width, height } = picture.facts;
  const tiles: Float32Array[] = [];
  if (cells === null) {
    for (const tile of texturedTiles(picture, views)) tiles.push(await meanFeatures(tile, model));
  }
  const factor = views.wholePx / Math.max(width, height);
  // A picture that small was read as a whole for its patches already.
  if (cells !== null && factor >= 1) return { tiles, whole: meanOf(cells) };
  const whole = factor >= 1 ? picture : await scaledBy(picture, factor);
  return { tiles, whole: await meanFeatures(whole, model) };
}

/** The most textured ones of a grid without overlap, most textured first. */
function texturedTiles(picture: Planes, { tilePx, tiles }: Views): readonly Planes[] {
  const inside = insideGrid(picture.facts, tilePx);
  const grid = coveringGrid(picture.facts, tilePx);
  const places = Array.from({ length: inside.columns * inside.rows }, (_, at) => ({
    column: at % inside.columns,
    row: Math.floor(at / inside.columns),
  }));
  const textures = cellTextures(picture, grid, tilePx);
  const window = { columns: 1, rows: 1 };
  return mostTextured(places, textures, { grid, window, count: tiles }).map(({ column, row }) => {
    const box = { left: column * tilePx, top: row * tilePx };
    const width = Math.min(tilePx, picture.facts.width - box.left);
    const height = Math.min(tilePx, picture.facts.height - box.top);
    return toPlanes(cutPixels(picture, { ...box, width, height }));
  });
}

async function meanFeatures(picture: Planes, model: TraceModel): Promise<Float32Array> {
  const { cellPx, haloPx } = model.manifest.input;
  return meanOf(await readFeatureGrid(picture, { read: model.readFeatures, cellPx, haloPx }));
}

function meanOf({ channels, columns, rows, values }: FeatureGrid): Float32Array {
  const cells = columns * rows;
  return Float32Array.from({ length: channels }, (_, channel) => {
    let sum = 0;
    for (let cell = 0; cell < cells; cell++) sum += values[channel * cells + cell]!;
    return sum / cells;
  });
}

async function scaledBy({ rgb, facts }: Planes, factor: number): Promise<Planes> {
  const width = Math.max(1, Math.round(facts.width * factor));
  const height = Math.max(1, Math.round(facts.height * factor));
  return toPlanes(await scalePixels({ rgb, ...facts }, { width, height }));
}
