/** Every forensic method, in the order in which an examiner reads them. */

import type { Detector } from './finding.ts';
import { photographLikeness } from './photograph-likeness.ts';
import { traceNetwork } from './trace-network.ts';

export const detectors: readonly Detector[] = [traceNetwork, photographLikeness];
