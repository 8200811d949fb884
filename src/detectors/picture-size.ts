/**
 * Reports that a picture has the size in pixels, or the proportions, that generators give their pictures. Saving again
 * and messengers keep these; cropping does not, so any other size says nothing.
 */

import type { PictureFacts } from '../image/picture.ts';
import type { GeneratorSizes, ModelManifest } from '../inference/manifest.ts';
import { type Detector, type Finding, type Skipped, strengthOfRatio } from './detector.ts';

export const pictureSize: Detector<Finding | Skipped> = {
  method: 'picture-size',
  examine: ({ picture: { facts }, traces: { size } }) => {
    const { method } = pictureSize;
    if (size === null) return { method, reason: 'size_of_no_generator' };
    const { width, height } = facts;
    const { ratio, sources, leastSide } = size;
    const isScaled = leastSide !== undefined;
    return {
      method,
      score: ratio / (1 + ratio),
      speaksFor: 'fake',
      strength: strengthOfRatio(ratio),
      statement: {
        code: 'size_of_generators',
        values: { width, height, isScaled, ratio, ...sources },
      },
      measures: { likelihoodRatio: ratio, width, height },
      source:
        'Sizes in the documentation of generators, counted for this program (see the model card).',
    };
  },
};

/** The first entry in the model's list that applies to the picture, in portrait or landscape format. */
export function findGeneratorSize(
  { width, height }: Pick<PictureFacts, 'width' | 'height'>,
  { generatorSizes }: Pick<ModelManifest, 'generatorSizes'>,
): GeneratorSizes | null {
  const longer = Math.max(width, height);
  const shorter = Math.min(width, height);
  const applies = ({ sizes, leastSide = Infinity }: GeneratorSizes) =>
    sizes.includes(`${longer}x${shorter}`) ||
    (shorter >= leastSide && sizes.some((size) => followsFrom(longer, shorter, size)));
  return generatorSizes.find(applies) ?? null;
}

/** Whether one side follows from the other to within half a pixel, so that the picture may have been scaled. */
function followsFrom(longer: number, shorter: number, size: string): boolean {
  const [across = 0, down = 1] = size.split('x').map(Number);
  const share = across / down;
  return Math.abs(longer - shorter * share) <= 0.5 || Math.abs(shorter - longer / share) <= 0.5;
}
