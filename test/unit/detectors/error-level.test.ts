import { expect, test } from 'vitest';
import { errorLevel } from '../../../src/detectors/error-level.ts';
import { drawScene, fromScene } from '../../fixtures/pictures.ts';
import { pasted, resaved } from './histories.ts';
import { inputOf, worded } from './input.ts';

const size = { width: 320, height: 240 };
const scene = drawScene({ ...size, seed: 4 });

test('content saved before at the same quality is dark, inserted content is bright', async () => {
  const saved = await resaved(scene, 90);
  const changed = pasted(saved, scene, { left: 40, top: 40, width: 96, height: 96 });

  const { map } = worded(errorLevel.examine(await inputOf(fromScene(changed).png())));

  const at = (x: number, y: number) => map.values[(y >> 3) * map.columns + (x >> 3)];
  expect([map.cellPx, map.columns, map.rows]).toEqual([8, 40, 30]);
  expect(at(88, 88)).toBeGreaterThan(0.85);
  expect(at(240, 160)).toBeLessThan(0.7);
});

const other = drawScene({ ...size, seed: 5 });

test.each([
  ['changed', pasted(scene, other, { left: 8, top: 8, width: 99, height: 99 })],
  ['untouched', scene],
])('a picture that is %s gets no weight, and the statement says so', async (_, each) => {
  const { finding } = worded(
    errorLevel.examine(await inputOf(fromScene(each).jpeg({ quality: 80 }))),
  );

  expect(finding).toMatchObject({ score: 0.5, speaksFor: 'neither', strength: 'none' });
  expect(finding.statement.en).toContain('plays no part in the verdict');
  expect(finding.statement.de).toContain('geht nicht in das Ergebnis ein');
});

test('a uniform picture and an incomplete block at the edge do not fail', async () => {
  const plain = { width: 70, height: 67, rgb: new Uint8Array(3 * 70 * 67).fill(120) };

  const { finding, map } = worded(errorLevel.examine(await inputOf(fromScene(plain).png())));

  expect([map.columns, map.rows]).toEqual([9, 9]);
  expect(map.values.every((value) => value >= 0 && value <= 1)).toBe(true);
  expect(finding.measures['level']).toBeLessThanOrEqual(1);
});
