/**
 * The histories under which a picture is measured: as the file is, as a sharing service passes it on, and as it looks
 * after it was shared again in small. Made from decoded pixels, so that photographs and generated pictures go through
 * the very same.
 */

import { decodePicture } from '../image/decode.ts';
import type { Limits } from '../image/limits.ts';
import { type Pixels, saveJpeg, scalePixels } from '../image/resave.ts';
import type { Picture } from '../image/picture.ts';

/** From the gentlest to the hardest. */
export const conditions = ['clean', 'web', 'hard'] as const;
export type Condition = (typeof conditions)[number];

interface Pass {
  /** Of the picture before it, whose longest side is `longestSidePx`. */
  readonly scaleOf: (longestSidePx: number) => number;
  readonly quality: number;
}

/** Each goes on from the one before it. */
const passes: readonly (Pass & { readonly condition: Condition })[] = [
  // About what social networks keep of a large picture, and a quality that their files commonly read as.
  { condition: 'web', scaleOf: (longest) => Math.min(1, 1600 / longest), quality: 75 },
  // The web copy as the small preview of a messenger, saved once more.
  { condition: 'hard', scaleOf: () => 0.5, quality: 60 },
];

/** What becomes of the picture, up to the first condition in which it would be too small to be examined. */
export async function* underConditions(
  picture: Picture,
  limits: Limits,
): AsyncGenerator<{ readonly condition: Condition; readonly picture: Picture }> {
  yield { condition: 'clean', picture };
  let pixels = pixelsOf(picture);
  for (const { condition, ...pass } of passes) {
    const size = sizeAfter(pass, pixels);
    if (Math.min(size.width, size.height) < limits.minSidePx) return;
    const isSameSize = size.width === pixels.width && size.height === pixels.height;
    const scaled = isSameSize ? pixels : await scalePixels(pixels, size);
    const passed = await decodePicture(await saveJpeg(scaled, pass.quality), { limits });
    yield { condition, picture: passed };
    pixels = pixelsOf(passed);
  }
}

function sizeAfter({ scaleOf }: Pass, { width, height }: Pixels) {
  const scale = scaleOf(Math.max(width, height));
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
}

function pixelsOf({ facts: { width, height }, rgb }: Picture): Pixels {
  return { width, height, rgb };
}
