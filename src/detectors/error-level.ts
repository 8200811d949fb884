/** Error level analysis: shown because examiners expect it, never weighed: it shows texture as much as changes. */

import { inRows, luminanceTable } from '../image/jpeg-structure.ts';
import { boxMean, countBlocks, forEachBlock, mapOfBlocks, nearestWhole } from './blocks.ts';
import { type Detector, type LocalisedFinding, noWeight } from './detector.ts';
import type { LumaPlane } from '../image/pixels.ts';
import { storedLuma } from './stored-plane.ts';

const method = 'error-level';

/** libjpeg quality of the trial save; Krawetz uses 90 and 95. */
const quality = 90;
const steps = Float64Array.from(inRows(luminanceTable(quality)));
const corner = { left: 0, top: 0 };
/** Radius, in blocks, of the window over which blocks are averaged. */
const radius = 1;

export const errorLevel: Detector<LocalisedFinding> = {
  method,
  examine: ({ picture }) => {
    const { columns, rows, lost, losable } = trySave(storedLuma(picture));
    const [meanLost, meanLosable] = [lost, losable].map((each) => boxMean(each, columns, radius));
    const values = meanLost!.map((error, block) => errorLevelAt(error, meanLosable![block]!));
    const measures = { quality, level: errorLevelAt(sum(lost), sum(losable)) };
    return {
      finding: { method, ...noWeight, statement: shown, measures, source },
      map: mapOfBlocks({ columns, rows, grid: corner, values }, picture.facts),
    };
  },
};

/** 0 if a save changes nothing, because a similar one came before; 1 if it changes as much as this texture allows. */
function errorLevelAt(lost: number, losable: number): number {
  return losable > 0 ? Math.min(1, Math.sqrt(Math.max(0, lost) / losable)) : 0;
}

/**
 * For each block, the squared error that quantisation adds, and the error expected if every
 * coefficient lay anywhere between two steps: a twelfth of the step squared, or the whole of a
 * smaller coefficient. The DCT preserves squared error, so no pixel has to be decoded again.
 */
function trySave(plane: LumaPlane) {
  const { columns, rows } = countBlocks(plane, corner);
  const lost = new Float32Array(columns * rows);
  const losable = new Float32Array(columns * rows);
  forEachBlock(plane, corner, (coefficients, block) => {
    let [errors, most] = [0, 0];
    for (let at = 0; at < coefficients.length; at++) {
      const value = coefficients[at]!;
      const step = steps[at]!;
      const error = value - step * nearestWhole(value / step);
      errors += error * error;
      most += Math.min(value * value, (step * step) / 12);
    }
    lost[block] = errors;
    losable[block] = most;
  });
  return { columns, rows, lost, losable };
}

function sum(values: Float32Array): number {
  return values.reduce((total, value) => total + value, 0);
}

const shown = { code: 'error_level_shown', values: {} } as const;

const source =
  'Krawetz, "A Picture’s Worth: Digital Image Analysis and Forensics", Black Hat Briefings USA (2007); here computed on the DCT coefficients of luma and set in relation to local texture.';
