import { expect, test } from 'vitest';
import { drawAnomaly } from '../../../src/engine/maps.ts';

const manipulation = (probability: number) => ({ probability, region: null, methods: [] });
/** A fifth of the picture stands out. */
const changed = Float32Array.of(0.2, 0.2, 0.2, 0.2, 0.9);

test('a cell that stands out from its picture is more anomalous than its distance alone', () => {
  const outlierScores = Float32Array.of(0.4, 0.4, 0.3, 0.4, 0.4);

  const drawn = drawAnomaly(outlierScores, { manipulation: manipulation(0.5), changed });

  // Odds of 2/3 times the square root of 9 : 1/4.
  expect(drawn[4]).toBeCloseTo(4 / 5, 6);
  expect([...drawn.subarray(0, 4)]).toEqual([...outlierScores.subarray(0, 4)].map(near));
});

test('the less likely a change is, the less it shows', () => {
  const outlierScores = new Float32Array(5).fill(0.4);

  const [unlikely, likely] = [0.05, 0.9].map((probability) =>
    drawAnomaly(outlierScores, { manipulation: manipulation(probability), changed }),
  );

  expect(unlikely![4]).toBeLessThan(0.5);
  expect(likely![4]).toBeGreaterThan(0.9);
});

test('a picture entirely unlike the training data is bright everywhere', () => {
  const drawn = drawAnomaly(new Float32Array(5).fill(1), {
    manipulation: manipulation(0.5),
    changed,
  });

  expect(Math.min(...drawn)).toBeGreaterThan(0.98);
});

const near = (value: number) => expect.closeTo(value, 6);
