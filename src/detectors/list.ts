/** Every forensic method, in the order in which an examiner reads them. */

import { contentCredentials } from './content-credentials.ts';
import { copyMove } from './copy-move/copy-move.ts';
import { declaredOrigin, namedSoftware } from './declarations.ts';
import type { Detector } from './detector.ts';
import { doubleQuantisation } from './double-quantisation.ts';
import { errorLevel } from './error-level.ts';
import { fileConsistency } from './file-consistency.ts';
import { compressionTables, fileLayout } from './file-facts.ts';
import { localisationNetwork } from './localisation-network.ts';
import { photographLikeness } from './photograph-likeness.ts';
import { thumbnail } from './thumbnail.ts';
import { traceNetwork } from './trace-network.ts';

/** Those that look for parts of a picture that were changed. */
export const localisingDetectors: readonly Detector[] = [
  localisationNetwork,
  copyMove,
  doubleQuantisation,
  thumbnail,
  errorLevel,
];

/** Those that a report shows and that no verdict rests on while the fusion gives them no weight. */
export const shownDetectors: readonly Detector[] = [errorLevel];

/** Of earlier versions, whose examinations and bundles name them. No verdict rested on them either. */
export const retiredMethods: readonly string[] = ['jpeg-grid', 'noise-level', 'resampling'];

export const detectors: readonly Detector[] = [
  traceNetwork,
  photographLikeness,
  contentCredentials,
  declaredOrigin,
  namedSoftware,
  fileConsistency,
  compressionTables,
  fileLayout,
  ...localisingDetectors,
];
