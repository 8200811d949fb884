import { expect, test } from 'vitest';
import { createRandom } from '../../../../src/engine/calibration.ts';
import type { Measurement } from '../../../../src/examiner/requests.ts';
import { isLeak, probeForShortcut } from '../../../../src/service/validation/shortcut-probe.ts';
import { outcome } from './outcomes.ts';

type FactsOf = (isFake: boolean, random: () => number) => Partial<Measurement['facts']>;

function sample(count: number, factsOf: FactsOf) {
  const random = createRandom(9);
  return Array.from({ length: count }, (_, at) => {
    const isFake = at % 2 === 0;
    return outcome({ isFake, name: String(at), facts: factsOf(isFake, random) });
  });
}

function hasLeak(found: ReturnType<typeof probeForShortcut>): boolean {
  return isLeak({ value: found!.balancedAccuracy, low: found!.low });
}

test('files of one kind give no better than chance', () => {
  const found = probeForShortcut(
    sample(200, (_, random) => ({
      width: 500 + Math.floor(500 * random()),
      sizeBytes: 50_000 + Math.floor(100_000 * random()),
    })),
    1,
  );

  expect(found!.balancedAccuracy).toBeGreaterThan(0.4);
  expect(hasLeak(found)).toBe(false);
  expect(found!.telling).toEqual([]);
});

test.each<[string, FactsOf]>([
  ['format', (isFake) => (isFake ? { format: 'png', jpeg: null } : {})],
  // The same mean for both classes: only one exact size gives them away.
  ['width', (isFake, random) => ({ width: isFake ? 1024 : 824 + Math.floor(400 * random()) })],
  [
    'JPEG quality',
    (isFake) => ({ jpeg: { quality: isFake ? 75 : 92, chromaSubsampling: '4:2:0' } }),
  ],
  [
    'bytes a pixel',
    (isFake, random) => ({ sizeBytes: Math.floor((isFake ? 1e5 : 2e5) * (0.5 + random())) }),
  ],
])('a difference in %s is detected', (fact, factsOf) => {
  const found = probeForShortcut(sample(100, factsOf), 1);

  expect(hasLeak(found)).toBe(true);
  expect(found!.telling).toContain(fact);
});

test('random labels are not memorised', () => {
  const random = createRandom(4);
  const measured = Array.from({ length: 120 }, (_, at) =>
    outcome({
      isFake: random() < 0.5,
      name: String(at),
      facts: { width: 100 + at, height: 300 - at, sizeBytes: 10_000 + 37 * at },
    }),
  );

  expect(hasLeak(probeForShortcut(measured, 1))).toBe(false);
});

test('nothing is tried with fewer than twenty of a class', () => {
  expect(
    probeForShortcut(
      sample(39, () => ({})),
      1,
    ),
  ).toBeNull();
});
