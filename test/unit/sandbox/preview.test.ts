import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { afterAll, expect, test } from 'vitest';
import { createLab } from '../../../src/sandbox/create-sandbox.ts';
import { makeExamination, makeMaps } from '../report/examination.ts';

const lab = createLab({ poolSize: 1 });
afterAll(() => lab.close());

const size = { width: 400, height: 200 };
/** The left half is black, the right one white. */
const bytes = await sharp({ create: { ...size, channels: 3, background: 'black' } })
  .composite([
    {
      input: { create: { width: 200, height: 200, channels: 3, background: 'white' } },
      left: 200,
      top: 0,
    },
  ])
  .png()
  .toBuffer();
const { facts } = makeExamination();
const sha256 = createHash('sha256').update(bytes).digest('hex');
/** What speaks for fake lies above, in the upper half. */
const maps = makeMaps({ ...size, cellPx: 20 }, (_, v) => (v < 0.5 ? 1 : 0));
const request = {
  source: { bytes },
  examination: { facts: { ...facts, sha256 }, maps },
  map: 'fake',
  box: { width: 40, height: 40 },
} as const;

const sumAt = (rgb: Uint8Array, x: number, y: number) => {
  const at = 3 * (y * 40 + x);
  return rgb[at]! + rgb[at + 1]! + rgb[at + 2]!;
};

test('a preview keeps the proportions and shows the picture beside its map', async () => {
  const { width, height, picture, heatmap } = await lab.preview(request);

  expect({ width, height }).toEqual({ width: 40, height: 20 });
  expect(sumAt(picture, 5, 10)).toBe(0);
  expect(sumAt(picture, 35, 10)).toBe(3 * 255);
  expect(sumAt(heatmap, 5, 3)).toBeGreaterThan(sumAt(heatmap, 35, 17) + 200);
});

test('a preview is never larger than the picture', async () => {
  const { width, height } = await lab.preview({ ...request, box: { width: 9000, height: 9000 } });

  expect({ width, height }).toEqual(size);
});

test('the map of one picture is not drawn over another', async () => {
  const other = { ...request, examination: { facts, maps } };

  await expect(lab.preview(other)).rejects.toMatchObject({ code: 'image_not_as_declared' });
});
