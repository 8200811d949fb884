/** Reports the score of the trace network as a finding. */

import {
  type Detector,
  type Finding,
  type Skipped,
  strengthOfRatio,
  type TraceEvidence,
} from './detector.ts';

export const traceNetwork: Detector<Finding | Skipped> = {
  method: 'trace-network',
  examine: ({ traces }) => {
    const { fakeProbability, fakeUncertainty, patchesRead, passes } = traces;
    return {
      method: traceNetwork.method,
      score: fakeProbability,
      ...toSide(traces),
      statement: {
        code: 'generated_with_probability',
        values: { probability: fakeProbability, spread: fakeUncertainty, patches: patchesRead },
      },
      measures: { fakeProbability, fakeUncertainty, patchesRead, passes },
      source:
        'Network trained for this program (see the model card); spread after Gal and Ghahramani, "Dropout as a Bayesian approximation", ICML 2016.',
    };
  },
};

/** At even prior odds, the odds equal the likelihood ratio. Within one deviation of a half, it indicates no side. */
function toSide({
  fakeProbability,
  fakeUncertainty,
}: TraceEvidence): Pick<Finding, 'speaksFor' | 'strength'> {
  const isWithinScatter = Math.abs(fakeProbability - 0.5) <= fakeUncertainty;
  const ratio = isWithinScatter
    ? 1
    : Math.exp(Math.abs(Math.log(fakeProbability / (1 - fakeProbability))));
  const strength = strengthOfRatio(ratio);
  if (strength === 'none') return { speaksFor: 'neither', strength };
  return { speaksFor: fakeProbability > 0.5 ? 'fake' : 'real', strength };
}
