import { expect, test } from 'vitest';
import { toPredictions, toTrace } from '../../../src/engine/calibration.ts';
import { createRegistry } from '../../../src/inference/registry.ts';

test('the amount of trace does not depend on the side it supports', async () => {
  const manifest = await createRegistry().find(null);
  const level = { real: -2, fake: -2, compression: 0 };

  const { real, fake } = toPredictions(level, manifest);

  expect(toTrace(level, manifest)).toBe(real + fake);
  expect(toTrace({ ...level, real: -9, fake: 5 }, manifest)).toBe(real + fake);
  expect(toTrace({ ...level, real: 1 }, manifest)).toBeGreaterThan(real + fake);
});
