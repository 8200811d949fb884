import { describe, expect, test } from 'vitest';
import { decisionStrategies, defaultSeed } from '../../../src/contract/vocabulary.ts';
import { detectors } from '../../../src/detectors/list.ts';
import { mapNames, toResultFields } from '../../../src/detectors/result.ts';
import { concludeUnderEvery, examine, observe } from '../../../src/engine/observe.ts';
import { readPatchScores } from '../../../src/engine/patch-scores.ts';
import { createRandom } from '../../fixtures/noise.ts';
import { loadPackagedModels, pictureOf, scenePicture } from './fixtures.ts';

const options = { decisionStrategy: 'default', seed: defaultSeed } as const;

const models = await loadPackagedModels();
const picture = await scenePicture(302, 238);
const observation = await observe(picture, models, defaultSeed);
const examination = await examine(picture, models, options);

/** All values as JSON; v8's serialisation would also reveal how an empty list is stored. */
function bytesOf(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    ArrayBuffer.isView(each) ? Buffer.from(each.buffer, each.byteOffset, each.byteLength) : each,
  );
}

describe('an examination', () => {
  test('is byte-identical when repeated, even with a freshly loaded model', async () => {
    const again = await examine(picture, models, options);
    const fresh = await examine(picture, await loadPackagedModels(), options);

    expect(bytesOf(again)).toEqual(bytesOf(examination));
    expect(bytesOf(fresh)).toEqual(bytesOf(examination));
  });

  test('with another seed differs only in its uncertainties', async () => {
    const other = await examine(picture, models, { ...options, seed: 1 });

    expect(other.classUncertainties).not.toEqual(examination.classUncertainties);
    expect(other.predictions).toEqual(examination.predictions);
    expect(other.maps).toEqual(examination.maps);
  });

  test('masks a fifth of the features; the uncertainty is the spread of the passes', async () => {
    const { trace } = models;
    const { dropout } = trace.manifest;
    const seen = new Map<number, Float32Array>();
    const spreadOf = async (seed: number) => {
      // In half of the passes, the picture is certainly compressed.
      const readHead: typeof trace.readHead = async (features, count, masks, passes) => {
        const read = await trace.readHead(features, count, masks, passes);
        if (passes !== dropout.passes) return read;
        seen.set(seed, Float32Array.from(masks));
        const half = (3 * count * passes) / 2;
        return { ...read, logits: read.logits.map((_, at) => (at < half ? -1e4 : 1e4)) };
      };
      const changed = { ...models, trace: { ...trace, readHead } };
      return (await examine(picture, changed, { ...options, seed })).classUncertainties;
    };

    const spread = await spreadOf(7);
    await spreadOf(8);

    const [masks, other] = [seen.get(7)!, seen.get(8)!];
    const kept = masks.filter((value) => value > 0);
    expect(1 - kept.length / masks.length).toBeCloseTo(dropout.rate, 1);
    expect(new Set(kept)).toEqual(new Set([Math.fround(1 / (1 - dropout.rate))]));
    expect(other).not.toEqual(masks);
    expect(spread.compression).toBeCloseTo(0.5, 6);
  });

  test('holds scores within their ranges', () => {
    const { predictions, classUncertainties, classSimilarities, anomaly } = examination;

    for (const score of Object.values(predictions)) expectWithin(score, 0, 1);
    for (const spread of Object.values(classUncertainties)) expectWithin(spread, 1e-6, 0.5);
    for (const cosine of Object.values(classSimilarities)) expectWithin(cosine, -1, 1);
    expectWithin(anomaly.score ?? -1, 0, 1);
    expectWithin(anomaly.giniCoeff ?? -1, 0, 1);
    expect(Number.isInteger(anomaly.numCluster)).toBe(true);
  });

  test('has four maps and one for each localising method, with one value per cell', () => {
    const { maps, findings } = examination;

    expect([maps.cellPx, maps.columns, maps.rows]).toEqual([4, 76, 60]);
    expect(Object.keys(maps.values)).toEqual([...mapNames]);
    for (const values of Object.values({ ...maps.values, ...maps.methods })) {
      expect(values).toHaveLength(76 * 60);
    }
    const methods = findings.map(({ method }) => method);
    expect(Object.keys(maps.methods)).toContain('localisation-network');
    for (const name of Object.keys(maps.methods)) expect(['fusion', ...methods]).toContain(name);
  });

  test('records what another run must match', () => {
    expect(examination.environment).toMatchObject({
      forensics: expect.stringMatching(/^\d/),
      node: process.versions.node,
      onnxruntime: expect.stringMatching(/^\d/),
      cpu: expect.any(String),
    });
    const { trace, locator } = models;
    expect(examination.model.id).toBe(trace.manifest.id);
    expect(examination.model.files['model.onnx']).toBe(trace.manifest.files['model.onnx']?.sha256);
    expect(examination.locator?.id).toBe(locator.manifest.id);
    expect(examination.passes).toBe(trace.manifest.dropout.passes);
    expect(examination.patchesRead).toBe(12);
  });

  test('runs the stability test on verdicts only', async () => {
    // A model that is certain and calls everything fake, including drawings.
    const fakeMin = { pedantic: 0.5, default: 0.5, relaxed: 0.5 };
    const traceMin = { pedantic: 0, default: 0, relaxed: 0 };
    const anomalyMax = { pedantic: 1, default: 1, relaxed: 1 };
    const { trace } = models;
    const thresholds = { ...trace.manifest.thresholds, fakeMin, traceMin, anomalyMax };
    const calibration = { ...trace.manifest.calibration, decision: { scale: 1e-6, offset: 2 } };
    const regimes = { compressedRegime: null, smallRegime: null, sizeRegime: null };
    const without = { ...regimes, transformer: null };
    const manifest = { ...trace.manifest, thresholds, ...without, calibration };
    const sure = { ...models, trace: { ...trace, manifest } };

    const clear = await examine(picture, sure, options);
    const tooSmall = await examine(await scenePicture(100, 100), sure, options);

    expect(clear.decision.resultClass).toBe('fake');
    expect(clear.stability).toMatchObject({ holds: true });
    expect(clear.stability?.trials).toHaveLength(5);
    expect(tooSmall.stability).toBeNull();
  });

  test('under every strategy is that of each strategy alone', async () => {
    const every = await concludeUnderEvery(observation);

    expect(Object.keys(every).toSorted()).toEqual(decisionStrategies.toSorted());
    expect(bytesOf(every.default)).toEqual(bytesOf(examination));
    for (const decisionStrategy of ['pedantic', 'relaxed'] as const) {
      const alone = await examine(picture, models, { ...options, decisionStrategy });
      expect(bytesOf(every[decisionStrategy])).toEqual(bytesOf(alone));
    }
  });

  test('carries a finding or a skip of every method', () => {
    const methods = [...examination.findings, ...examination.skipped].map(({ method }) => method);

    expect(methods.toSorted()).toEqual(detectors.map(({ method }) => method).toSorted());
  });
});

describe('extreme pictures', () => {
  test.each([
    [65, 65],
    [127, 400],
    [65, 1500],
  ])('%i x %i is read as far as possible, and too small', async (width, height) => {
    const { decision, maps, predictions } = await examine(
      await scenePicture(width, height),
      models,
      options,
    );

    const reasons = expect.arrayContaining(['too_small']);
    expect(decision).toMatchObject({ resultClass: 'abstain', reasons });
    expect(maps.values.fake).toHaveLength(Math.ceil(width / 4) * Math.ceil(height / 4));
    expect(Number.isFinite(predictions.fake)).toBe(true);
  });

  test('one flat colour is not a photograph, and every number is still a number', async () => {
    const rgb = new Uint8Array(3 * 200 * 200).fill(128);

    const flat = await examine(await pictureOf({ width: 200, height: 200, rgb }), models, options);

    expect(flat.decision.resultClass).toBe('abstain');
    expect(flat.decision.reasons).toContain('not_a_photograph');
    const { predictions, classUncertainties, classSimilarities, anomaly } = flat;
    const numbers = [predictions, classUncertainties, classSimilarities, anomaly].flatMap((part) =>
      Object.values(part),
    );
    expect(numbers.every(Number.isFinite)).toBe(true);
  });
});

test('noise of 16 grey tones has no trace that could be judged, unlike noise of 17', async () => {
  expect(await noiseTraces(16)).toMatchObject({ isPhotograph: true, trace: 0 });
  expect((await noiseTraces(17)).trace).toBeGreaterThan(0.1);
});

async function noiseTraces(tones: number) {
  const random = createRandom(1);
  const greys = Array.from({ length: 160 * 160 }, () => 99 + Math.floor(random() * tones));
  const rgb = Uint8Array.from(greys.flatMap((grey) => [grey, grey, grey]));
  return (await observe(await pictureOf({ width: 160, height: 160, rgb }), models, 1)).traces;
}

describe('the maps', () => {
  test("show the network's score at the centre of each patch", async () => {
    const { trace } = models;
    const patchScores = await readPatchScores(picture, trace);
    const place = patchScores.read[0]!;
    const row = Math.floor(place / patchScores.positions.columns) + 4;
    const column = (place % patchScores.positions.columns) + 4;
    const { scale, offset } = trace.manifest.calibration.real;
    const networkScore = 1 / (1 + Math.exp(-(scale * patchScores.logits[3 * place]! + offset)));
    const { maps } = examination;
    // The four small cells in the middle of a network cell surround its centre symmetrically.
    const middle = [1, 2].flatMap((y) =>
      [1, 2].map((x) => maps.values.real[(4 * row + y) * maps.columns + 4 * column + x]!),
    );

    const shown = middle.reduce((sum, value) => sum + value, 0) / 4 / 65_535;

    expect(Math.abs(shown - networkScore)).toBeLessThan(0.03);
  });

  test('show suspected changes as fake', () => {
    const { values, methods } = examination.maps;
    const { suspectedMin } = models.locator.manifest.thresholds;
    const probability = examination.manipulation?.probability ?? 0;
    const suspicion = Math.min(1, probability / suspectedMin.default);

    const changed = [...methods['fusion']!].map((value) => Math.floor(suspicion * value));

    expect(values.fake.every((value, cell) => value >= changed[cell]! - 1)).toBe(true);
  });
});

test.each([
  ['real', [], 0, []],
  ['fake', ['ai-generated'], 1, [0]],
  ['abstain', [], 2, []],
  ['uncertain', [], 3, []],
] as const)('the contract gives %s its number', (resultClass, resultSubClasses, one, others) => {
  const decision = { ...examination.decision, resultClass, resultSubClasses };

  const fields = toResultFields({ ...examination, decision }, 'flagging');
  expect(fields).toMatchObject({ resultClass: one, resultSubClasses: others });
});

function expectWithin(value: number, least: number, most: number): void {
  expect(value).toBeGreaterThanOrEqual(least);
  expect(value).toBeLessThanOrEqual(most);
}
