/** Compares what was drawn again with the files of a bundle: byte by byte, and pixel by pixel where bytes differ. */

import { mapNames } from '../engine/result.ts';
import type { Lab, Rendering } from '../lab/lab.ts';
import { heatmapFile, mapFile, reportFile } from './layout.ts';
import type { FileComparison } from './reproduction.ts';
import { languages } from '../contract/vocabulary.ts';

export interface Surroundings {
  readonly lab: Pick<Lab, 'compare'>;
  /** Whether processor or versions are others than those that were recorded. */
  readonly isElsewhere: boolean;
}

/** Of the full scale. A value that rounds otherwise is the next colour of the scale: 2 % in one channel at most. */
const heatmapTolerance = 0.02;
/** Twice that of single numbers: a raw map is interpolated between cells and rounded to 16 bits. */
const mapTolerance = 2e-4;

export async function compareFiles(
  surroundings: Surroundings,
  files: ReadonlyMap<string, Uint8Array>,
  { heatmaps, rawMaps, reports }: Rendering,
): Promise<readonly FileComparison[]> {
  const pictures = mapNames.flatMap((name) => [
    { name: heatmapFile(name), found: heatmaps[name], tolerance: heatmapTolerance },
    { name: mapFile(name), found: rawMaps?.[name], tolerance: mapTolerance },
  ]);
  const compared: FileComparison[] = [];
  // One after the other: two heatmaps of the largest picture are 100 MB.
  for (const { name, found, tolerance } of pictures) {
    compared.push(
      await comparePictures(surroundings, { name, recorded: files.get(name), found, tolerance }),
    );
  }
  const pdfs = languages.map((language) => {
    const name = reportFile(language);
    const isIdentical = isSame(files.get(name), reports[language]?.pdf);
    return {
      name,
      isIdentical,
      pixels: null,
      isTolerated: isIdentical || surroundings.isElsewhere,
    };
  });
  return [...compared, ...pdfs];
}

interface Pair {
  readonly name: string;
  readonly recorded: Uint8Array | undefined;
  readonly found: Uint8Array | undefined;
  readonly tolerance: number;
}

async function comparePictures(
  { lab }: Surroundings,
  { name, recorded, found, tolerance }: Pair,
): Promise<FileComparison> {
  if (isSame(recorded, found)) return { name, isIdentical: true, pixels: null, isTolerated: true };
  const canCompare = recorded !== undefined && found !== undefined;
  const pixels = canCompare ? await lab.compare(recorded, found) : null;
  const isTolerated = pixels !== null && pixels.largest <= tolerance;
  return { name, isIdentical: false, pixels, isTolerated };
}

function isSame(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  return one !== undefined && other !== undefined && Buffer.compare(one, other) === 0;
}
