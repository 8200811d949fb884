import { expect, test } from 'vitest';
import {
  examineShipped,
  type Golden,
  judgeReadings,
  readGolden,
} from '../../../../src/ops/doctor/self-test.ts';

const found = await examineShipped(null);
const golden = await readGolden(found.examination.model.id);

/** The golden values with the fake probability of one picture shifted. */
function moved(by: number): Golden {
  const { 'real.jpg': real, ...others } = golden!.pictures;
  const fakeProbability = real!.numbers['fakeProbability']! + by;
  const numbers = { ...real!.numbers, fakeProbability };
  return { ...golden!, pictures: { ...others, 'real.jpg': { ...real!, numbers } } };
}

/** The same pictures and verdicts, with numbers that differ by less than 0.001. */
function nearTo(pictures: Golden['pictures']): unknown {
  return Object.fromEntries(
    Object.entries(pictures).map(([name, { verdict, numbers }]) => [
      name,
      {
        verdict,
        numbers: Object.fromEntries(
          Object.entries(numbers).map(([key, value]) => [key, expect.closeTo(value, 2.7)]),
        ),
      },
    ]),
  );
}

test('the drawn pictures give the values measured for the release (to renew: node bin/golden.ts)', () => {
  const judged = judgeReadings(found, golden);

  // CPUs add in different orders, which changed results by up to 0.0005 between two of them.
  expect(found.readings).toEqual(nearTo(golden!.pictures));
  expect(judged).toMatchObject({
    state: 'ok',
    message: expect.stringContaining('the numbers match the release'),
  });
});

test('small differences are a warning', () => {
  // Relative to what this machine measures, because results depend on the processor.
  const { numbers, verdict } = found.readings['real.jpg']!;
  const fakeProbability = numbers['fakeProbability']! + 0.01;
  const real = { verdict, numbers: { ...numbers, fakeProbability } };
  const judged = judgeReadings(found, {
    ...golden!,
    pictures: { ...found.readings, 'real.jpg': real },
  });

  expect(judged).toMatchObject({ state: 'warning' });
  expect(judged.message).toMatch(/differ by up to 0\.01\d* /);
});

test.each([
  ['large differences', moved(0.06)],
  [
    'a missing number',
    { ...moved(0), pictures: { 'real.jpg': { verdict: 'uncertain', numbers: {} } } },
  ],
  [
    'a missing picture',
    { ...moved(0), pictures: { 'third.jpg': { verdict: 'real', numbers: {} } } },
  ],
  [
    'another verdict',
    {
      ...moved(0),
      pictures: {
        ...golden!.pictures,
        'real.jpg': { ...golden!.pictures['real.jpg']!, verdict: 'fake' },
      },
    },
  ],
])('%s is a failure', (_what, other) => {
  expect(judgeReadings(found, other)).toMatchObject({ state: 'failed' });
});

test.each(['model', 'locator'] as const)('numbers of another %s are not compared', (kind) => {
  const other = { ...golden!, [kind]: { ...golden![kind], files: { 'model.onnx': 'ab' } } };

  expect(judgeReadings(found, other).state).toBe('warning');
  expect(judgeReadings(found, null)).toMatchObject({
    state: 'ok',
    message: expect.stringContaining('no golden numbers'),
  });
});
