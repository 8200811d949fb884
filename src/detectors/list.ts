/** Every forensic method, in the order in which a report lists them. */

import {
  compressionTables,
  contentCredentials,
  declaredOrigin,
  fileConsistency,
  fileLayout,
  namedSoftware,
} from './provenance-findings.ts';
import { changedWords } from './words/changed-words.ts';
import { copyMove } from './copy-move/copy-move.ts';
import type { Detector } from './detector.ts';
import { doubleQuantisation } from './double-quantisation.ts';
import { errorLevel } from './error-level.ts';
import { localisationNetwork, pictureSize, traceNetwork } from './network-findings.ts';
import { photographLikeness } from './photograph-likeness.ts';
import { thumbnail } from './thumbnail.ts';

export const localisingDetectors: readonly Detector[] = [
  localisationNetwork,
  copyMove,
  changedWords,
  doubleQuantisation,
  thumbnail,
  errorLevel,
];

/** Methods that reports show but that do not affect the verdict, unless the fusion gives them a weight. */
export const shownDetectors: readonly Detector[] = [errorLevel];

/** Methods of earlier versions, which stored examinations and bundles still contain; they never affected verdicts. */
export const retiredMethods: readonly string[] = ['jpeg-grid', 'noise-level', 'resampling'];

export const detectors: readonly Detector[] = [
  traceNetwork,
  pictureSize,
  photographLikeness,
  contentCredentials,
  declaredOrigin,
  namedSoftware,
  fileConsistency,
  compressionTables,
  fileLayout,
  ...localisingDetectors,
];
