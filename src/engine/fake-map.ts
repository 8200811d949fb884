/** The map of what is fake: generated as the whole picture is, or changed in this place. */

import type { Localisation } from './manipulation.ts';

/**
 * The higher of two values, each of which is one of the whole picture times one of the place: how likely the picture is generated
 * times how likely the place is; and how far a change is suspected times how likely the place was changed, if anything was.
 * So places that look odd in a picture that nothing speaks against stay dark.
 *
 * @param generated - of each cell the probability 0..1 to be generated.
 * @param fakeProbability - 0..1, of the whole picture.
 * @returns 0..1 for each cell.
 */
export function drawFake(
  generated: Float32Array,
  fakeProbability: number,
  { suspicion, changed }: Pick<Localisation, 'suspicion' | 'changed'>,
): Float32Array {
  return generated.map((value, cell) =>
    Math.max(fakeProbability * value, suspicion * changed[cell]!),
  );
}
