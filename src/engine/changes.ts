/**
 * The localisation network's reading of a picture. It is shown the pixels as the file holds them, because there the grid of
 * the JPEG blocks begins in the corner, and its maps are turned to lie over the upright picture.
 */

import type { ChangeEvidence, PlaceMap } from '../detectors/finding.ts';
import { storedRgb, toUpright } from '../detectors/stored.ts';
import { lumaSteps } from '../image/jpeg-structure.ts';
import type { Picture } from '../image/picture.ts';
import { halvePixels } from '../image/pixels.ts';
import type { Pixels } from '../image/resave.ts';
import { inRows } from '../image/zig-zag.ts';
import type { LocateModel } from '../inference/locate-model.ts';
import { sigmoid } from './calibration.ts';

export async function readChanges(picture: Picture, locator: LocateModel): Promise<ChangeEvidence> {
  const { facts } = picture;
  const { cellPx, maxPixels } = locator.manifest.input;
  const { pixels, halvings } = atMost(maxPixels, picture);
  // Halved pixels lie on no grid, so the steps of the file would tell the network something untrue.
  const steps = halvings === 0 && facts.jpeg ? lumaSteps(facts.jpeg) : null;
  const table = steps && inRows(steps);
  const { columns, rows, changed, trust, score } = await locator.locate(pixels, table);
  const mapOf = (logits: Float32Array): PlaceMap => {
    const map = { cellPx: cellPx << halvings, columns, rows, values: logits.map(sigmoid) };
    return toUpright(coverStored(map, facts), facts);
  };
  return { score, changed: mapOf(changed), trust: mapOf(trust) };
}

/** The stored picture, halved as often as it takes. */
function atMost(maxPixels: number, picture: Picture) {
  const { storedWidth: width, storedHeight: height } = picture.facts;
  let pixels: Pixels = { width, height, rgb: storedRgb(picture) };
  let halvings = 0;
  for (; pixels.width * pixels.height > maxPixels; halvings++) {
    pixels = halvePixels({ rgb: pixels.rgb, facts: pixels });
  }
  return { pixels, halvings };
}

/** What halving left over at the right and below gets the values beside it. */
function coverStored(map: PlaceMap, { storedWidth, storedHeight }: Picture['facts']): PlaceMap {
  const columns = Math.ceil(storedWidth / map.cellPx);
  const rows = Math.ceil(storedHeight / map.cellPx);
  if (columns === map.columns && rows === map.rows) return map;
  const values = Float32Array.from({ length: columns * rows }, (_, cell) => {
    const column = Math.min(cell % columns, map.columns - 1);
    const row = Math.min(Math.floor(cell / columns), map.rows - 1);
    return map.values[row * map.columns + column]!;
  });
  return { cellPx: map.cellPx, columns, rows, values };
}
