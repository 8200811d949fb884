import { expect, test } from 'vitest';
import { drawFake } from '../../../src/engine/maps.ts';

const generated = Float32Array.of(0.9, 0.9, 0.1);
const changed = Float32Array.of(0.1, 0.8, 0.8);

test('a cell takes the likelier of its two explanations, each weighted by the whole picture', () => {
  const drawn = drawFake(generated, 0.5, { suspicion: 1, changed });

  expect([...drawn]).toEqual([0.45, 0.8, 0.8].map((value) => expect.closeTo(value, 6)));
});

test('odd regions stay dark without evidence against the picture', () => {
  const drawn = drawFake(generated, 0.1, { suspicion: 0.3, changed });

  expect(Math.max(...drawn)).toBeLessThan(0.25);
});
