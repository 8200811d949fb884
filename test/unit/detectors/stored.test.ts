import { describe, expect, test } from 'vitest';
import type { CellMap } from '../../../src/detectors/regions.ts';
import { storedLuma, storedRgb, toUpright } from '../../../src/detectors/stored-plane.ts';
import { decodePicture } from '../../../src/image/decode.ts';
import { orientationOf } from '../../fixtures/orientation.ts';
import { fromScene, scenePng } from '../../fixtures/pictures.ts';

/** A map with one cell per pixel. */
function cellOfEach(plane: Uint8Array, columns: number): CellMap {
  const rows = plane.length / columns;
  return { cellPx: 1, columns, rows, values: Float32Array.from(plane) };
}

describe.each([1, 2, 3, 4, 5, 6, 7, 8])('EXIF orientation %i', (orientation) => {
  const size = { width: 90, height: 70, seed: 1 };

  test('stored planes match the file', async () => {
    const picture = await decodePicture(await scenePng({ ...size, orientation }));
    const asStored = await decodePicture(await storedScene(orientation));

    const { width, height, luma } = storedLuma(picture);

    expect([width, height]).toEqual([asStored.facts.width, asStored.facts.height]);
    expect(luma).toEqual(asStored.luma);
    expect(storedRgb(picture)).toEqual(asStored.rgb);
  });

  test('a map of the stored picture marks the same content in the upright one', async () => {
    const picture = await decodePicture(await scenePng({ ...size, orientation }));
    const { facts, luma } = picture;
    const stored = storedLuma(picture);

    const turned = toUpright(cellOfEach(stored.luma, stored.width), facts);

    expect(turned).toEqual(cellOfEach(luma, facts.width));
  });

  /** The same file without its orientation tag: the pixels as stored. */
  async function storedScene(given: number): Promise<Uint8Array> {
    const upright = await decodePicture(await scenePng(size));
    const { width, height } = upright.facts;
    const stored = orientationOf(given).toStored({ width, height, rgb: upright.rgb });
    return fromScene(stored).png().toBuffer();
  }
});
