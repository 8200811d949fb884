/** What the comparison of words reads of documents, for the training command `locator-words`. */

import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { comparedMeasures, findPage, readInputs } from '../../src/detectors/words/changed-words.ts';
import { measureWords } from '../../src/detectors/words/measure-words.ts';
import type { PixelBox } from '../../src/image/pixels.ts';
import { storedLuma, storedRgb } from '../../src/detectors/stored-plane.ts';
import { picturesOf } from './conditions.ts';
import { type Case, readPairs } from './manipulated/cases.ts';

/** Least deviation that counts; .05 for measures that are not named here. */
const floors: Readonly<Record<string, number>> = {
  ...Object.fromEntries(comparedMeasures.map((name) => [name, 0.05])),
  contrast: 0.03,
  inkBlue: 1,
  inkRed: 1,
  flat: 0.02,
  inkSpread: 0.03,
  inkSkew: 0.03,
  level: 2,
  edge50: 0.02,
  edge90: 0.02,
  edge98: 0.02,
  halo: 0.01,
  paperStep: 1,
  chromaStep: 0.5,
  frame: 0.5,
  frameAbsolute: 0.2,
  fit: 0.02,
  stroke: 0.03,
  fine: 0.03,
  coarse: 0.03,
  filled: 0.02,
  baseline: 0.03,
  relativeHeight: 0.03,
  copy: 0.3,
  copyLead: 0.3,
  letterCopy: 0.3,
  letterMatch: 0.1,
  letterLead: 0.3,
};

/**
 * Writes `words.f32` and `words.csv`. The first has a row for each word of a page: the changed share of its box, or of
 * that of a letter if more; the changed share of the place most similar to a letter of it; left, top, width and height in
 * pixels; and the inputs of the trees, as float32. The second has a row for each
 * picture: its name, its first row and how many it has (0 if it is no page), and the page's own inputs. `floors.json` is for
 * the manifest.
 */
export async function writeWords(
  pairs: readonly string[],
  folder: string,
  limit: number,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const lines = ['pair,name,first,words,ofPage'];
  const rows = openSync(join(folder, 'words.f32'), 'w');
  let first = 0;
  for (const pair of pairs) {
    for (const one of readPairs(pair).slice(0, 2 * limit)) {
      const { values, ofPage } = await readWords(one);
      for (const row of values) writeSync(rows, Float32Array.from(row));
      lines.push([pair, one.name, first, values.length, ofPage.join(' ')].join(','));
      first += values.length;
      if (lines.length % 100 === 0) process.stderr.write(`${lines.length} pictures\n`);
    }
  }
  closeSync(rows);
  writeFileSync(join(folder, 'floors.json'), JSON.stringify(floors));
  writeFileSync(join(folder, 'words.csv'), `${lines.join('\n')}\n`);
}

async function readWords({ path, mask }: Case) {
  for await (const [, picture] of picturesOf(path, ['as is'])) {
    const page = findPage(storedLuma(picture));
    if (page === null) break;
    const measured = measureWords(page, storedRgb(picture));
    const { words, ofWords, ofPage, nearest } = readInputs(page, measured, floors);
    const shareOf = mask === null ? () => 0 : await readShares(mask);
    const values = words.map((word, index) => {
      const { left, top, width, height, letters } = word;
      const share = Math.max(shareOf(word), ...letters.map(shareOf));
      const original = nearest[index] ? shareOf(nearest[index]) : 0;
      return [share, original, left, top, width, height, ...ofWords[index]!];
    });
    return { values, ofPage };
  }
  return { values: [], ofPage: [] };
}

/** The share of a box that a mask covers. */
async function readShares(path: string): Promise<(box: PixelBox) => number> {
  const grey = sharp(readFileSync(path)).toColourspace('b-w').extractChannel(0);
  const { data, info } = await grey.raw().toBuffer({ resolveWithObject: true });
  return ({ left, top, width, height }) => {
    let covered = 0;
    for (let y = top; y < top + height; y++) {
      for (let x = left; x < left + width; x++) if (data[y * info.width + x]! > 127) covered++;
    }
    return covered / (width * height);
  };
}
