import { expect, test } from 'vitest';
import { traceNetwork } from '../../../src/detectors/trace-network.ts';
import { noProvenance } from '../../../src/provenance/provenance.ts';
import { scenePicture } from '../engine/fixtures.ts';
import { worded } from './input.ts';

test('the finding gives the probability as its score and says it in both languages', async () => {
  const traces = {
    fakeProbability: 0.834,
    fakeUncertainty: 0.042,
    patchesRead: 16,
    passes: 32,
    kind: null,
  };

  const finding = worded(
    traceNetwork.examine({
      picture: await scenePicture(128, 128),
      traces,
      provenance: noProvenance,
      changes: null,
    }),
  );

  expect(finding).toMatchObject({
    method: 'trace-network',
    score: 0.834,
    speaksFor: 'fake',
    strength: 'weak',
    measures: { fakeProbability: 0.834, fakeUncertainty: 0.042, patchesRead: 16, passes: 32 },
    statement: {
      en: 'A network trained on photographs and generated pictures puts the probability of a generated picture at 83 % (spread 4 %).',
      de: 'Ein an Fotografien und KI-erzeugten Bildern trainiertes Netz beziffert die Wahrscheinlichkeit eines KI-erzeugten Bildes auf 83 % (Streuung 4 %).',
    },
  });
});

test('a spread below one percent is not called none', async () => {
  const traces = {
    fakeProbability: 0.1,
    fakeUncertainty: 0.0001,
    patchesRead: 1,
    passes: 32,
    kind: null,
  };

  const finding = worded(
    traceNetwork.examine({
      picture: await scenePicture(128, 128),
      traces,
      provenance: noProvenance,
      changes: null,
    }),
  );

  expect(finding).toMatchObject({
    statement: {
      en: expect.stringContaining('(spread below 1 %)'),
      de: expect.stringContaining('(Streuung unter 1 %)'),
    },
  });
});

test('a probability within its own uncertainty supports neither side', async () => {
  const picture = await scenePicture(128, 128);
  const sideAt = (fakeUncertainty: number) =>
    worded(
      traceNetwork.examine({
        picture,
        traces: { fakeProbability: 0.29, fakeUncertainty, patchesRead: 16, passes: 32, kind: null },
        provenance: noProvenance,
        changes: null,
      }),
    );

  expect(sideAt(0.23)).toMatchObject({ speaksFor: 'neither', strength: 'none' });
  expect(sideAt(0.05)).toMatchObject({ speaksFor: 'real', strength: 'weak' });
});
