import { expect, test } from 'vitest';
import { mapNames } from '../../../src/engine/result.ts';
import { renderHeatmaps } from '../../../src/render/heatmap/heatmap.ts';
import { printPictures } from '../../../src/render/heatmap/print-pictures.ts';
import { makeMaps, makePicture } from '../present/examination.ts';

test.each([5, 6, 7, 8])(
  'heatmaps that lie as the pixels of a picture of orientation %i are printed upright',
  async (orientation) => {
    const scene = makePicture(1200, 900);
    const picture = { ...scene, facts: { ...scene.facts, orientation } };
    const maps = makeMaps({ width: 1200, height: 900, cellPx: 32 }, (u, v) => u * v);
    const upright = await renderHeatmaps(picture, maps);
    const stored = await renderHeatmaps(picture, maps, { heatmapOrientation: 'stored' });

    const fromUpright = await printPictures(picture, upright);
    const fromStored = await printPictures(picture, stored, 'stored');

    for (const name of mapNames) {
      expect(Buffer.compare(fromStored.heatmaps[name], fromUpright.heatmaps[name])).toBe(0);
      expect(fromStored.digests[name]).not.toBe(fromUpright.digests[name]);
    }
  },
);
