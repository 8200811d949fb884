/** Whose quantisation tables a JPEG carries, named only where tables agree step by step. */

import type { JpegStructure } from '../image/jpeg-structure.ts';
import { chrominanceTable, luminanceTable, scaleTable } from '../image/quality.ts';
import type { QuantisationClass } from './provenance.ts';

/**
 * What mozjpeg scales where nobody asks for another table, for luma and colour alike; zig-zag order. From N. Robidoux's
 * work for ImageMagick; read out of files that mozjpeg wrote.
 */
const mozjpegBase: readonly number[] = [
  16, 16, 16, 16, 17, 16, 18, 20, 20, 18, 25, 27, 24, 27, 25, 37, 34, 31, 31, 34, 37, 56, 40, 43,
  40, 43, 40, 56, 85, 53, 62, 53, 53, 62, 53, 85, 75, 91, 74, 69, 74, 91, 75, 135, 106, 94, 94, 106,
  135, 156, 131, 124, 131, 156, 189, 169, 169, 189, 238, 226, 238, 311, 311, 418,
];

/**
 * @returns `custom` also where the tables of luma and colour are libjpeg's but of two settings.
 * @see J. D. Kornblum, "Using JPEG quantization tables to identify imagery processed by software", Digital Investigation
 * 5 (2008), for the classes.
 */
export function classifyTables(jpeg: JpegStructure): QuantisationClass {
  const used = jpeg.components.map(
    ({ quantisationTable }) =>
      jpeg.quantisationTables.find(({ id }) => id === quantisationTable)?.steps ?? [],
  );
  const [luma = [], ...colours] = used;
  const isOf = (lumaTable: readonly number[], colourTable: readonly number[]) =>
    isSame(luma, lumaTable) && colours.every((colour) => isSame(colour, colourTable));
  for (let quality = 100; quality >= 1; quality--) {
    if (isOf(luminanceTable(quality), chrominanceTable(quality))) {
      return { kind: 'libjpeg', name: null, quality };
    }
  }
  // Where the two agree, all steps being 1 or 255, the standard was asked first.
  for (let quality = 100; quality >= 1; quality--) {
    const table = scaleTable(mozjpegBase, quality);
    if (isOf(table, table)) return { kind: 'known-software', name: 'mozjpeg', quality: null };
  }
  return { kind: 'custom', name: null, quality: null };
}

function isSame(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((step, index) => step === b[index]);
}
