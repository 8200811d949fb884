/** What a detector is given, where only the picture matters to it. */

import type { Sharp } from 'sharp';
import type { DetectorInput } from '../../../src/detectors/detector.ts';
import { decodePicture } from '../../../src/image/decode.ts';
import type { Picture } from '../../../src/image/picture.ts';
import { noProvenance } from '../../../src/provenance/provenance.ts';

const traces = { fakeProbability: 0.5, fakeUncertainty: 0, patchesRead: 1, passes: 2 };

export function inputWith(
  picture: Picture,
  changes: DetectorInput['changes'] = null,
): DetectorInput {
  return { picture, traces, changes, provenance: noProvenance };
}

export async function inputOf(file: Sharp): Promise<DetectorInput> {
  return inputWith(await decodePicture(await file.toBuffer()));
}
