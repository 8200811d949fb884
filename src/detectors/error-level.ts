/**
 * Error level analysis, for those who know it and ask for it. It is shown and never counts: what it makes visible
 * depends on texture, edges and colours as much as on a change.
 */

import { luminanceTable } from '../image/quality.ts';
import { mapOfBlocks } from './block-map.ts';
import { boxMean } from './box-mean.ts';
import { blockCoefficients, blockPx } from './dct.ts';
import type { Detector, Sighting } from './finding.ts';
import { type StoredPlane, storedLuma } from './stored.ts';
import { noWeight } from './strength.ts';

const method = 'error-level';

/** Of the save that is tried, libjpeg's scale: Krawetz uses 90 and 95. */
const quality = 90;
const steps = luminanceTable(quality);
const corner = { left: 0, top: 0 };
/** Blocks on each side that are read together. */
const radius = 1;

export const errorLevel: Detector<Sighting> = {
  method,
  examine: ({ picture }) => {
    const { columns, rows, lost, losable } = trySave(storedLuma(picture));
    const [meanLost, meanLosable] = [lost, losable].map((each) => boxMean(each, columns, radius));
    const values = meanLost!.map((error, block) => levelOf(error, meanLosable![block]!));
    const measures = { quality, level: levelOf(sum(lost), sum(losable)) };
    return {
      finding: { method, ...noWeight, statement, measures, source },
      map: mapOfBlocks({ columns, rows, grid: corner, values }, picture.facts),
    };
  },
};

/**
 * Error of a save, in grey levels, against that of content which was never saved so: 0 where the save changes nothing
 * because a save like it came before, 1 where it changes as much as it can at this texture.
 */
function levelOf(lost: number, losable: number): number {
  return losable > 0 ? Math.min(1, Math.sqrt(lost / losable)) : 0;
}

/**
 * Squared error that quantisation adds to each block, and what would be expected of a coefficient anywhere between two
 * steps: a twelfth of the step squared, or all of a smaller coefficient. The transform keeps squares, so no pixel needs
 * to be decoded again. One row of blocks at a time: the coefficients of all would take four bytes a pixel.
 */
function trySave({ luma, width, height }: StoredPlane) {
  const [columns, rows] = [Math.floor(width / blockPx), Math.floor(height / blockPx)];
  const lost = new Float32Array(columns * rows);
  const losable = new Float32Array(columns * rows);
  for (let row = 0; row < rows; row++) {
    const strip = luma.subarray(row * blockPx * width, (row + 1) * blockPx * width);
    const { planes } = blockCoefficients({ luma: strip, width, height: blockPx }, corner, 64);
    for (let k = 0; k < steps.length; k++) {
      const step = steps[k]!;
      for (let column = 0; column < columns; column++) {
        const value = planes[k]![column]!;
        const error = value - step * Math.round(value / step);
        lost[row * columns + column]! += error * error;
        losable[row * columns + column]! += Math.min(value * value, (step * step) / 12);
      }
    }
  }
  return { columns, rows, lost, losable };
}

function sum(values: Float32Array): number {
  return values.reduce((total, value) => total + value, 0);
}

const statement = {
  en: 'The error level map shows where one more JPEG save would change the picture most. It is shown only: fine texture, edges and earlier saves make it bright or dark as well as changes do, and it plays no part in the verdict.',
  de: 'Die Fehlerpegel-Karte zeigt, wo eine weitere JPEG-Speicherung das Bild am meisten verändern würde. Sie wird nur gezeigt: Feine Textur, Kanten und frühere Speicherungen machen sie ebenso hell oder dunkel wie Veränderungen, und sie zählt nicht zum Urteil.',
};

const source =
  'Krawetz, "A Picture’s Worth: Digital Image Analysis and Forensics", Black Hat Briefings USA (2007); here computed on the DCT coefficients of luma and set in relation to local texture.';
