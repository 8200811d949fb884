import { expect, test } from 'vitest';
import { traceNetwork } from '../../../src/detectors/network-findings.ts';
import { noProvenance } from '../../../src/provenance/provenance.ts';
import { scenePicture } from '../engine/fixtures.ts';
import { worded } from './input.ts';

const picture = await scenePicture(128, 128);

function findingAt(fakeProbability: number, fakeUncertainty: number) {
  const traces = {
    fakeProbability,
    fakeUncertainty,
    patchesRead: 16,
    passes: 32,
    kind: null,
    size: null,
  };
  const input = { picture, traces, provenance: noProvenance, changes: null };
  return worded(traceNetwork.examine(input));
}

test('the finding has the probability as its score and states it in both languages', () => {
  expect(findingAt(0.834, 0.042)).toMatchObject({
    method: 'trace-network',
    score: 0.834,
    speaksFor: 'fake',
    strength: 'weak',
    measures: { fakeProbability: 0.834, fakeUncertainty: 0.042, patchesRead: 16, passes: 32 },
    statement: {
      en: 'A neural network trained on photographs and generated pictures rates the traces at 0.83 on a scale from 0 (photograph) to 1 (generated).',
      de: 'Ein mit Fotografien und KI-erzeugten Bildern trainiertes neuronales Netz bewertet die Spuren auf einer Skala von 0 (Fotografie) bis 1 (KI-erzeugt) mit 0,83.',
    },
  });
});

test('a score that rounds to the end of the scale is not called certain', () => {
  expect(findingAt(0.0001, 0.0001)).toMatchObject({
    statement: {
      en: expect.stringContaining('at below 0.01'),
      de: expect.stringContaining('mit unter 0,01'),
    },
  });
});

test('a probability within its own uncertainty supports neither side', () => {
  expect(findingAt(0.29, 0.23)).toMatchObject({ speaksFor: 'neither', strength: 'none' });
  expect(findingAt(0.29, 0.05)).toMatchObject({ speaksFor: 'real', strength: 'weak' });
});
