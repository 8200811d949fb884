import { describe, expect, test } from 'vitest';
import type { ChangeEvidence } from '../../../src/detectors/detector.ts';
import type { CellMap } from '../../../src/detectors/regions.ts';
import { toUpright } from '../../../src/detectors/stored-plane.ts';
import { readChanges } from '../../../src/engine/localisation.ts';
import { decodePicture } from '../../../src/image/decode.ts';
import type { Picture } from '../../../src/image/picture.ts';
import { orientationOf } from '../../fixtures/orientation.ts';
import { fromScene, sceneJpeg, scenePng } from '../../fixtures/pictures.ts';
import { loadPackagedModels, scenePicture } from './fixtures.ts';
import type { LocateModel } from '../../../src/inference/networks.ts';

const { locator } = await loadPackagedModels();

type Asked = Parameters<LocateModel['locate']>;

/** The evidence for a picture, and the input that the network was given. */
async function watch(picture: Picture, maxPixels = locator.manifest.input.maxPixels) {
  const asked: Asked[] = [];
  const { manifest } = locator;
  const evidence = await readChanges(picture, {
    ...locator,
    manifest: { ...manifest, input: { ...manifest.input, maxPixels } },
    locate: (...given) => {
      asked.push(given);
      return locator.locate(...given);
    },
  });
  return { evidence, pixels: asked[0]![0], table: asked[0]![1], calls: asked.length };
}

function cellsOf({ changed, trust }: ChangeEvidence) {
  expect(shapeOf(trust)).toEqual(shapeOf(changed));
  return shapeOf(changed);
}

function shapeOf({ cellPx, columns, rows, values }: CellMap) {
  return [cellPx, columns, rows, values.length];
}

test.each([
  { width: 1021, height: 602, shown: [1021, 602, 1], cells: [4, 256, 151, 256 * 151] },
  { width: 637, height: 474, shown: [640, 480, 3], cells: [4, 160, 119, 160 * 119] },
  { width: 133, height: 90, shown: [136, 96, 4], cells: [4, 34, 23, 34 * 23] },
])(
  'a picture of $width x $height is shown whole, a small one in whole blocks and several times, and its maps cover it with cells of 4 px',
  async ({ width, height, shown, cells }) => {
    const { evidence, pixels, calls } = await watch(await scenePicture(width, height));

    expect([pixels.width, pixels.height, calls]).toEqual(shown);
    expect(cellsOf(evidence)).toEqual(cells);
    const values = [...evidence.changed.values, ...evidence.trust.values];
    expect(values.every((value) => value > 0 && value < 1)).toBe(true);
  },
);

test('mirroring a small picture of whole blocks mirrors its answer', async () => {
  const picture = await scenePicture(128, 96, 5);
  const image = fromScene({ width: 128, height: 96, rgb: picture.rgb }).flop().png();
  const { rgb } = await decodePicture(await image.toBuffer());

  const answer = await readChanges(picture, locator);
  const mirrored = await readChanges({ ...picture, rgb }, locator);

  expect(rgb).not.toEqual(picture.rgb);
  expect(mirrored.score).toBeCloseTo(answer.score, 5);
  for (const name of ['changed', 'trust'] as const) {
    const { values, columns } = answer[name];
    const expected = values.map((_, at) => values[at - 2 * (at % columns) + columns - 1]!);
    expect(largestDifference(mirrored[name].values, expected)).toBeLessThan(1e-5);
    expect(largestDifference(mirrored[name].values, values)).toBeGreaterThan(0.01);
  }
});

function largestDifference(left: Float32Array, right: Float32Array): number {
  return left.reduce((most, value, at) => Math.max(most, Math.abs(value - right[at]!)), 0);
}

test('a picture beyond the limit is halved until it fits, and its map cells grow accordingly', async () => {
  const picture = await scenePicture(335, 299);

  const once = await watch(picture, 65_536);
  const twice = await watch(picture, 20_000);

  // 167 x 149 and 83 x 74, rounded up to whole blocks.
  expect([once.pixels.width, once.pixels.height]).toEqual([168, 152]);
  expect(cellsOf(once.evidence)).toEqual([8, 42, 38, 42 * 38]);
  expect([twice.pixels.width, twice.pixels.height]).toEqual([88, 80]);
  expect(cellsOf(twice.evidence)).toEqual([16, 21, 19, 21 * 19]);
});

describe('quantisation steps', () => {
  const size = { width: 200, height: 200, seed: 1 };

  test('of a JPEG file are passed in row order', async () => {
    const { table } = await watch(await decodePicture(await sceneJpeg({ ...size, quality: 50 })));

    // ITU-T T.81, Table K.1: the first two rows.
    expect(table?.slice(0, 8)).toEqual([16, 11, 10, 16, 24, 40, 51, 61]);
    expect(table?.slice(8, 16)).toEqual([12, 12, 14, 19, 26, 58, 60, 55]);
  });

  test('are not passed for files without them or for halved pixels', async () => {
    const png = await watch(await scenePicture(size.width, size.height));
    const jpeg = await decodePicture(await sceneJpeg({ ...size, quality: 50 }));
    const halved = await watch(jpeg, 20_000);

    expect([png.table, halved.table]).toEqual([null, null]);
  });
});

test('a rotated picture is read in stored orientation, and its map is rotated to match', async () => {
  const upright = await scenePicture(120, 96, 3);
  const asStored = orientationOf(6).toStored({ ...upright.facts, rgb: upright.rgb });
  const stored = await decodePicture(await fromScene(asStored).png().toBuffer());
  const file = await scenePng({ width: 120, height: 96, seed: 3, orientation: 6 });
  const turned = await decodePicture(file);

  const [ofStored, ofTurned] = [await watch(stored), await watch(turned)];

  expect(ofTurned.pixels).toEqual(ofStored.pixels);
  expect(ofTurned.evidence.score).toBe(ofStored.evidence.score);
  expect(ofTurned.evidence.changed).toEqual(toUpright(ofStored.evidence.changed, turned.facts));
  expect(cellsOf(ofTurned.evidence)).toEqual([4, 30, 24, 30 * 24]);
});

test('releasing the working memory leaves the network ready for the next picture', async () => {
  const large = await scenePicture(1600, 960);
  const small = await scenePicture(150, 150);

  const [first, between, again] = [
    await readChanges(large, locator),
    await readChanges(small, locator),
    await readChanges(large, locator),
  ];

  expect(again).toEqual(first);
  expect(between).toEqual(await readChanges(small, locator));
});
