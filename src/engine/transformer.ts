/**
 * Reads a picture with the vision transformer: the whole picture, squeezed into a square, for
 * composition, light and material; and its most textured full-resolution squares, for traces. The
 * transformer sees other things than the patch network, and is less affected by JPEG and scaling.
 */

import { scalePixels } from '../image/codec.ts';
import { cutPixels, type Planes } from '../image/pixels.ts';
import type { Transformer } from '../inference/manifest.ts';
import { type PictureKind, pictureKinds, type TraceModel } from '../inference/networks.ts';
import { sigmoid } from './calibration.ts';
import { coveringGrid, insideGrid } from './feature-grid.ts';
import { type CellPosition, cellTextures, crossed, mostTextured, patchStarts } from './patches.ts';

export interface TransformerReading {
  /** Added, before calibration, to the log odds of *fake* from the patches. */
  readonly shift: number;
  /** What kind of picture it looks like, and how much it resembles a photograph, 0..1. */
  readonly kind: PictureKind;
  readonly photograph: number;
}

/** @returns null for a model without a transformer. */
export async function readTransformer(
  picture: Planes,
  model: TraceModel,
): Promise<TransformerReading | null> {
  const { transformer } = model.manifest;
  const read = model.readTransformer;
  if (transformer === null || read === null) return null;
  const { sidePx, weights } = transformer;
  const size = { width: sidePx, height: sidePx };
  const squeezed = await scalePixels({ rgb: picture.rgb, ...picture.facts }, size);
  const view = await read(squeezed.rgb, 'view');
  const squares: number[] = [];
  for (const { left, top } of texturedSquares(picture, transformer)) {
    const { rgb } = cutPixels(picture, { left, top, ...size });
    squares.push((await read(rgb, 'square')).generated);
  }
  // If the picture is smaller than a square, the view has already covered all of it.
  const sum = squares.reduce((total, one) => total + one, 0);
  const native = squares.length === 0 ? view.generated : sum / squares.length;
  const shift = weights.view * view.generated + weights.squares * native;
  return { shift, ...toKind(view.kinds) };
}

/** The most textured squares without overlap, the most textured first; none if the picture is smaller than a square. */
function texturedSquares(picture: Planes, { sidePx, stepPx, squares }: Transformer) {
  const { width, height } = picture.facts;
  if (Math.min(width, height) < sidePx) return [];
  const grid = coveringGrid(picture.facts, stepPx);
  const inside = insideGrid(picture.facts, stepPx);
  const side = sidePx / stepPx;
  const window = { columns: side, rows: side };
  const textures = cellTextures(picture, grid, stepPx);
  let places = crossed(patchStarts(inside.columns, side, 1), patchStarts(inside.rows, side, 1));
  const chosen: CellPosition[] = [];
  while (chosen.length < squares && places.length > 0) {
    const [best] = mostTextured(places, textures, { grid, window, count: 1 });
    chosen.push(best!);
    places = places.filter(
      ({ column, row }) =>
        Math.abs(column - best!.column) >= side || Math.abs(row - best!.row) >= side,
    );
  }
  return chosen.map(({ column, row }) => ({ left: column * stepPx, top: row * stepPx }));
}

/** The softmax probability of *photograph*, and the most likely kind among the others. */
function toKind(logits: Float32Array): Pick<TransformerReading, 'kind' | 'photograph'> {
  const [asPhotograph, ...others] = logits;
  const most = Math.max(...others);
  const sum = others.reduce((total, logit) => total + Math.exp(logit - most), 0);
  return {
    kind: pictureKinds[1 + others.indexOf(most)]!,
    photograph: sigmoid(asPhotograph! - most - Math.log(sum)),
  };
}
