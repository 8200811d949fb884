/**
 * The product's only colour map, from dark blue through magenta and orange to pale yellow.
 * Lightness increases with the value, and neighbouring entries are equidistant in OKLab, so equal
 * differences in value look equal on a screen, to colour-blind readers and in greyscale print.
 */

import type { Size } from '../../detectors/regions.ts';
import type { CellMaps } from '../../engine/result.ts';

export const colourCount = 256;

/**
 * RGB bytes: entry i is the colour of the value i / 255. They lie at equal distances on a path in OKLab: lightness from
 * 0.16 to 0.97, hue from 272 to 468 degrees, chroma from 0.045 to 0.085 with a peak of 0.185 in the middle.
 */
const colours =
  'BwsgCAwhCQwiCg0jCw4kDA4lDQ8mDhAnEBApEREqEhIrExIsFBMtFRQuFhQvFxUxGRUyGhYzGxc0HBc1HRg3Hxg4IBk5IRk6Iho8JBo9JRs+Jhs/KBxAKRxCKh1DLB1ELR5FLh5HMB5IMR9JMx9KNB9LNiBMNyBOOSBPOiFQPCFRPSFSPyJTQCJUQiJVQyJWRSJXRiNYSCNZSiNaSyNbTSNcTyRdUCReUiRfVCRgVSRgVyRhWSRiWiRjXCRjXiVkXyVlYSVlYyVmZSVnZiVnaCVoaiVobCVpbSVpbyVqcSVqcyVqdSVrdiVreCVreiVsfCVsfiVsfyVsgSVsgyVthSVthyVtiCVtiiVtjCVtjiVtjyVtkSVtkyVtlSVslyVsmCVsmiVsnCZsniZsnyZroSZroyZrpCdqpidqqCdqqSdpqyhprShorilosClnsilnsypmtSpmtitluCxluixkuy1kvS1jvi5iwC9iwTBhwjFgxDFgxTJfxzNeyDReyTVdyzZczDdbzThbzzla0DpZ0TxY0j1X0z5X1T9W1kFV10JU2ENU2URT2kZS20dR3ElR3UpQ3ktP301O4E5O4VBN4lFM4lNL41RL5FZK5VdK5VlJ5ltI51xI515H6F9H6WFG6WNG6mRF6mZF62dF62lE7GtE7GxE7W5E7XBE7nFE7nNE7nVE73ZE73hE73pE8HxE8H1E8H9F8IFF8YJG8YRG8YZH8YdH8YlI8YtJ8oxK8o5L8pBL8pFM8pNN8pVO8pdQ8phR8ppS8pxT8p1U8p9W8qBX8qJY8qRa8qVb8qdd8qle8qpg8qxh8q5j8q9l8rFm8rJo8rRq8rZr8rdt8rlv8rpx8rxy8r108r928sF48sJ58sR78sV98sd/8siB8sqC8suE882G88+I89CK89KM89ON89WP89aR9NiT9NmU9NuW9NyY9N6a9d+b9eGd9eKf9eSg9uWi9uek9uil9+qn9+up9+2q9+6s+PCt+PGv+POw+fSy+faz+fe1+vm2+vq3';

export function createColourMap(): Uint8Array {
  return Buffer.from(colours, 'base64');
}

// Upsamples cell maps to the size of the picture by bilinear interpolation.

/** Writes row `y` of the upsampled map to `row`, one value 0..65535 per pixel. */
type FillRow = (values: Uint16Array, y: number, row: Uint16Array) => void;

/**
 * Creates a row reader that upsamples maps of this grid. The value of cell i applies at its centre, `(i + 0.5) *
 * cellPx`; beyond the outermost centres it stays constant. Exact integer arithmetic gives the same values everywhere.
 *
 * @param blockPx - side of a block in pixels: returns one value for each block, at its centre, instead of one for each
 *   pixel.
 */
export function createUpsampler(size: Size, maps: CellMaps, blockPx = 1): FillRow {
  const { cellPx, columns, rows } = maps;
  const whole = 2 * cellPx;
  const half = (whole * whole) / 2;
  const across = readAxis(Math.ceil(size.width / blockPx), columns, { cellPx, blockPx });
  const down = readAxis(Math.ceil(size.height / blockPx), rows, { cellPx, blockPx });
  const between = new Float64Array(columns);

  return function fillRow(values, y, row) {
    const upper = down.before[y]! * columns;
    const lower = down.after[y]! * columns;
    const share = down.share[y]!;
    for (let i = 0; i < columns; i++) {
      between[i] = values[upper + i]! * (whole - share) + values[lower + i]! * share;
    }
    for (let x = 0; x < row.length; x++) {
      const right = across.share[x]!;
      const sum =
        between[across.before[x]!]! * (whole - right) + between[across.after[x]!]! * right;
      row[x] = (sum + half) / (whole * whole);
    }
  };
}

/** For each block, the two cells between whose centres it lies, and the second one's weight in units of 1 / (2 * cellPx). */
function readAxis(
  blocks: number,
  cells: number,
  { cellPx, blockPx }: { readonly cellPx: number; readonly blockPx: number },
) {
  const before = new Uint16Array(blocks);
  const after = new Uint16Array(blocks);
  const share = new Uint16Array(blocks);
  for (let p = 0; p < blocks; p++) {
    // Centres are at (p + 0.5) blocks, so the distance to the centre of the first cell is a whole
    // number of half pixels.
    const distance = blockPx * (2 * p + 1) - cellPx;
    const cell = Math.floor(distance / (2 * cellPx));
    before[p] = Math.min(Math.max(cell, 0), cells - 1);
    after[p] = Math.min(Math.max(cell + 1, 0), cells - 1);
    share[p] = distance - 2 * cellPx * cell;
  }
  return { before, after, share };
}
