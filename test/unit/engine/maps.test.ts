import { describe, expect, test } from 'vitest';
import { drawMaps, drawTraces } from '../../../src/engine/maps.ts';
import { loadPackagedModel } from './fixtures.ts';

const packaged = await loadPackagedModel();

describe('the map of anomalies', () => {
  /** A fifth of the picture stands out. */
  const changed = [0.2, 0.2, 0.2, 0.2, 0.9];

  test('a cell that stands out from its picture is more anomalous than its distance alone', () => {
    const outlierScores = [0.4, 0.4, 0.3, 0.4, 0.4];

    const { anomaly } = draw({ outlierScores, changed, probability: 0.5 });

    // Odds of 2/3 times the square root of 9 : 1/4.
    expect(anomaly).toEqual([0.4, 0.4, 0.3, 0.4, 4 / 5].map(near));
  });

  test('the less likely a change is, the less it shows', () => {
    const outlierScores = changed.map(() => 0.4);

    const [unlikely, likely] = [0.05, 0.9].map(
      (probability) => draw({ outlierScores, changed, probability }).anomaly,
    );

    expect(unlikely![4]).toBeLessThan(0.5);
    expect(likely![4]).toBeGreaterThan(0.9);
  });

  test('a picture entirely unlike the training data is bright everywhere', () => {
    const outlierScores = changed.map(() => 1 - 1e-9);

    const { anomaly } = draw({ outlierScores, changed, probability: 0.5 });

    expect(Math.min(...anomaly)).toBeGreaterThan(0.98);
  });
});

describe('the map of fakes', () => {
  const generated = [0.9, 0.9, 0.1];
  const changed = [0.1, 0.8, 0.8];

  test('a cell takes the likelier of its two explanations, each weighted by the whole picture', () => {
    const { fake } = draw({ generated, changed, fakeProbability: 0.5, suspicion: 1 });

    expect(fake).toEqual([0.45, 0.8, 0.8].map(near));
  });

  test('odd regions stay dark without evidence against the picture', () => {
    const { fake } = draw({ generated, changed, fakeProbability: 0.1, suspicion: 0.3 });

    expect(Math.max(...fake)).toBeLessThan(0.25);
  });
});

interface Drawn {
  /** One value per cell, as in the next two. */
  readonly outlierScores?: readonly number[];
  readonly generated?: readonly number[];
  readonly changed: readonly number[];
  readonly fakeProbability?: number;
  readonly probability?: number;
  readonly suspicion?: number;
}

/** Maps of one row of cells, read by windows of one cell. */
function draw(drawn: Drawn) {
  const { changed, fakeProbability = 0.5, probability = 0, suspicion = 0 } = drawn;
  const { outlierScores = changed, generated = changed } = drawn;
  const grid = { columns: changed.length, rows: 1 };
  const all = changed.map((_, cell) => cell);
  const identity = { scale: 1, offset: 0 };
  const calibration = { real: identity, fake: identity, compression: identity, decision: identity };
  const distanceQuantiles = Array.from({ length: 101 }, (_, at) => at / 100);
  const model = {
    ...packaged,
    manifest: { ...packaged.manifest, calibration },
    statistics: { ...packaged.statistics, distanceQuantiles },
  };
  const patchScores = {
    grid,
    window: { columns: 1, rows: 1 },
    positions: grid,
    cellPx: 16,
    logits: Float32Array.from(generated.flatMap((value) => [0, logit(value), 0])),
    embeddings: new Float32Array(),
    // One half at the 97th percentile, one tenth at the median.
    distances: Float64Array.from(
      outlierScores,
      (value) => 0.97 + (0.47 * logit(value)) / Math.log(9),
    ),
    patches: all,
    read: all,
    readings: { features: new Float32Array(), weights: [], shift: 0 },
    meanLogits: { real: 0, fake: logit(fakeProbability), compression: 0 },
    transformer: null,
  };
  const { values } = drawMaps(drawTraces(patchScores, model, { ...grid, cellPx: 16 }), {
    manipulation: { probability, region: null, methods: [] },
    suspicion,
    changed: Float32Array.from(changed),
    methods: {},
  });
  return { anomaly: shares(values.anomaly), fake: shares(values.fake) };
}

const logit = (share: number) => Math.log(share / (1 - share));
const near = (value: number) => expect.closeTo(value, 4);
const shares = (map: Uint16Array) => [...map].map((value) => value / 65_535);
