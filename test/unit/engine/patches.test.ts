import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { planPatches } from '../../../src/engine/patches.ts';
import { halvePixels, toPlanes } from '../../../src/image/pixels.ts';

interface Recorded {
  readonly width: number;
  readonly height: number;
  /** Rows and columns in cells, most textured first, by the rule of `patches.py`. */
  readonly patches: readonly (readonly [number, number])[];
  /** The same for the picture at half size. */
  readonly ofHalf: Recorded['patches'];
}

/** Written by `patches.py` in the same folder. */
const recorded: readonly Recorded[] = JSON.parse(
  readFileSync(new URL('../../fixtures/patches.json', import.meta.url), 'utf8'),
);

/** The settings of `patches.py`. */
const input = { cellPx: 16, patchCells: 8, patchStrideCells: 4, patchesRead: 16 };

/** The picture of `patches.py`, pixel for pixel. */
function drawn(width: number, height: number) {
  const rgb = new Uint8Array(3 * width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const noise = (x * 7919 + y * 104729 + x * y * 31) % 251;
      const strength = ((x >> 6) * 5 + (y >> 6) * 3) % 11;
      const grey = 40 + ((noise * strength) >> 4);
      rgb.set([grey, (grey * 3 + x) % 256, (grey + 2 * y) % 256], 3 * (y * width + x));
    }
  }
  return toPlanes({ width, height, rgb });
}

test.each(recorded)(
  '$width x $height: the same patches are read as in training, in the same order, at full and half size',
  ({ width, height, patches, ofHalf }) => {
    const picture = drawn(width, height);

    const [full, half] = [picture, toPlanes(halvePixels(picture))].map((planes) =>
      planPatches(planes, input).read.map(({ row, column }) => [row, column]),
    );

    expect(full).toEqual(patches);
    expect(half).toEqual(ofHalf);
  },
);
