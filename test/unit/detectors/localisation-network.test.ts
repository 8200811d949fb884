import { beforeAll, describe, expect, test } from 'vitest';
import { localisationNetwork, traceNetwork } from '../../../src/detectors/network-findings.ts';
import { readChanges } from '../../../src/engine/localisation.ts';
import { decodePicture } from '../../../src/image/decode.ts';
import type { Picture } from '../../../src/image/picture.ts';
import { drawScene, fromScene } from '../../fixtures/pictures.ts';
import { loadPackagedModels, scenePicture } from '../engine/fixtures.ts';
import { pasted, resaved } from './histories.ts';
import { inputWith, worded } from './input.ts';
import { noProvenance } from '../../../src/contract/provenance.ts';

const { locator } = await loadPackagedModels();

async function examine(picture: Picture) {
  const localised = worded(
    localisationNetwork.examine(inputWith(picture, await readChanges(picture, locator))),
  );
  if (!('finding' in localised)) throw new TypeError('The picture was skipped.');
  return localised;
}

const size = { width: 400, height: 300 };
const box = { left: 28, top: 60, width: 120, height: 100 };

/** A scene that was saved as JPEG, optionally with a pasted part that was not, and saved again. */
async function sceneOf(seed: number, isSpliced: boolean): Promise<Picture> {
  const host = await resaved(drawScene({ ...size, seed }), 70);
  const donor = drawScene({ ...size, seed: seed + 10 });
  const made = isSpliced ? pasted(host, donor, box) : host;
  return decodePicture(await fromScene(made).jpeg({ quality: 95 }).toBuffer());
}

describe.each([1, 2])('a part of another picture pasted into scene %i', (seed) => {
  let spliced: Awaited<ReturnType<typeof examine>>;
  beforeAll(async () => {
    spliced = await examine(await sceneOf(seed, true));
  });

  test('is found in the right place', () => {
    const { finding, map } = spliced;

    expect(finding.speaksFor).toBe('fake');
    expect(finding.statement.en).toContain('marks a region');
    expect(overlap(finding.measures, box)).toBeGreaterThan(0.5);
    expect([map.cellPx, map.columns, map.rows]).toEqual([4, 100, 75]);
  });

  // The scenes are drawn; the model card states how rarely the network marks real photographs.
  test('at least triples the odds of the untouched original', async () => {
    const twin = await examine(await sceneOf(seed, false));

    const gain = spliced.finding.measures['logOdds']! - twin.finding.measures['logOdds']!;
    expect(gain).toBeGreaterThan(Math.log(3));
  });
});

/** The area in both boxes divided by the area in either, 0..1. */
function overlap(found: Readonly<Record<string, number>>, given: typeof box): number {
  const { regionLeft = 0, regionTop = 0, regionWidth = 0, regionHeight = 0 } = found;
  const both =
    sharedLength([regionLeft, regionWidth], [given.left, given.width]) *
    sharedLength([regionTop, regionHeight], [given.top, given.height]);
  return both / (regionWidth * regionHeight + given.width * given.height - both);
}

function sharedLength([from, length]: Stretch, [start, extent]: Stretch): number {
  return Math.max(0, Math.min(from + length, start + extent) - Math.max(from, start));
}

type Stretch = readonly [from: number, length: number];

/** A map of four cells, of which the first has `value` and the others 0. */
function firstOfFour(value: number) {
  return { cellPx: 40, columns: 2, rows: 2, values: new Float32Array([value, 0, 0, 0]) };
}

test('the score is the probability at even odds, and the strength stays within what was measured', async () => {
  const picture = await scenePicture(80, 80);
  const findingFor = (score: number, changed: number) =>
    worded(
      localisationNetwork.examine(
        inputWith(picture, { score, changed: firstOfFour(changed), trust: firstOfFour(1) }),
      ),
    );

  expect(findingFor(Math.log(3), 0.9)).toMatchObject({
    finding: {
      score: expect.closeTo(0.75, 9),
      speaksFor: 'fake',
      strength: 'weak',
      measures: { regionShare: 0.25, meanTrust: 0.25 },
    },
  });
  expect(findingFor(Math.log(15), 0.9)).toMatchObject({ finding: { strength: 'weak' } });
  const statement = { en: expect.stringContaining('cannot say where') };
  expect(findingFor(12, 0.4)).toMatchObject({ finding: { strength: 'moderate', statement } });
  expect(findingFor(-12, 0.4)).toMatchObject({
    finding: { speaksFor: 'neither', statement: { en: expect.stringContaining('no region') } },
  });
});

test('no region is named in a picture that does not look changed, whatever the map marks', async () => {
  const picture = await scenePicture(80, 80);
  const changes = { score: 0.1, changed: firstOfFour(0.9), trust: firstOfFour(1) };

  expect(worded(localisationNetwork.examine(inputWith(picture, changes)))).toMatchObject({
    finding: {
      speaksFor: 'neither',
      strength: 'none',
      statement: {
        en: expect.stringMatching(/no region that differs .* more than is usual in untouched/),
        de: expect.stringMatching(/keinen Bereich, der stärker .* in unveränderten Bildern üblich/),
      },
    },
  });
});

test('a picture without localisation is skipped with a reason', async () => {
  const skipped = worded(localisationNetwork.examine(inputWith(await scenePicture(80, 80), null)));

  expect(skipped).toEqual({
    method: 'localisation-network',
    reason: { en: expect.stringMatching(/\.$/), de: expect.stringMatching(/\.$/) },
  });
});

const picture = await scenePicture(128, 128);

function findingAt(fakeProbability: number, fakeUncertainty: number) {
  const counts = { patchesRead: 16, passes: 32, kind: null, size: null };
  const traces = { fakeProbability, fakeUncertainty, ...counts };
  const input = { picture, traces, provenance: noProvenance, changes: null, words: null };
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
