/** Input for detectors that only need the picture, and their answers in words. */

import type { Sharp } from 'sharp';
import type {
  Answer,
  DetectorInput,
  Finding,
  LocalisedFinding,
  Skipped,
} from '../../../src/detectors/detector.ts';
import type { CellMap } from '../../../src/detectors/regions.ts';
import type { Evidence } from '../../../src/contract/evidence.ts';
import { decodePicture } from '../../../src/image/decode.ts';
import type { Picture } from '../../../src/image/picture.ts';
import { noProvenance } from '../../../src/contract/provenance.ts';
import { type WordedFinding, wordFinding, wordSkipped } from '../../../src/present/findings.ts';

const traces = {
  fakeProbability: 0.5,
  fakeUncertainty: 0,
  patchesRead: 1,
  passes: 2,
  kind: null,
  size: null,
};

export function inputWith(picture: Picture, changes: DetectorInput['changes'] = null) {
  return { picture, traces, changes, words: null, provenance: noProvenance };
}

export async function inputOf(file: Sharp): Promise<DetectorInput> {
  return inputWith(await decodePicture(await file.toBuffer()));
}

export type WordedSkip = Evidence['skipped'][number];

interface WordedSighting {
  readonly finding: WordedFinding;
  readonly map: CellMap;
}

/** As worded in responses and reports. */
export function worded(answer: Finding | Skipped): WordedFinding | WordedSkip;
export function worded(answer: LocalisedFinding): WordedSighting;
export function worded(answer: LocalisedFinding | Skipped): WordedSighting | WordedSkip;
export function worded(answer: Answer): WordedSighting | WordedFinding | WordedSkip;
export function worded(answer: Answer): WordedSighting | WordedFinding | WordedSkip {
  if ('reason' in answer) return wordSkipped(answer, { format: 'jpg' });
  return 'finding' in answer
    ? { ...answer, finding: wordFinding(answer.finding) }
    : wordFinding(answer);
}
