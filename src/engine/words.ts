/**
 * Reads a document for replaced words, square by square: a word is a small part of a page, and the network was trained on
 * squares. A picture counts as a document by its letters, whether it is a scan or a photograph of a sheet on a table.
 */

import type { ChangeEvidence } from '../detectors/detector.ts';
import { countLetters, lettersOfDocument, maxPixelsForLetters } from '../detectors/letters.ts';
import { scalePixels } from '../image/codec.ts';
import type { Picture } from '../image/picture.ts';
import { cutPixels, toLuma } from '../image/pixels.ts';
import { blockPx } from '../inference/locate-manifest.ts';
import type { LocateAnswer, LocateModel } from '../inference/networks.ts';
import { prepareStored } from './localisation.ts';

const sidePx = 768;
/** What neighbouring squares share at least, so that each word lies inside one. */
const overlapPx = 128;

/** @returns null unless the model has a network for documents and the picture shows one. */
export async function readWords(
  picture: Picture,
  locator: LocateModel,
): Promise<ChangeEvidence | null> {
  if (!locator.hasDocuments || !(await showsDocument(picture))) return null;
  const { input } = locator.manifest;
  const { pixels, table, toEvidence } = prepareStored(picture, input);
  const { width, height } = pixels;
  const columns = Math.ceil(width / input.cellPx);
  const rows = Math.ceil(height / input.cellPx);
  const read: { readonly first: number; readonly found: LocateAnswer }[] = [];
  for (const top of startsOf(height)) {
    for (const left of startsOf(width)) {
      const box = { left, top, width: endOf(left, width) - left, height: endOf(top, height) - top };
      const square = cutPixels({ rgb: pixels.rgb, facts: pixels }, box);
      const found = await locator.locate(square, table, 'documents');
      read.push({ first: (top / input.cellPx) * columns + left / input.cellPx, found });
    }
  }
  const score = Math.max(...read.map(({ found }) => found.score));
  const changed = new Float32Array(columns * rows).fill(-Infinity);
  const trust = changed.slice();
  for (const { first, found } of read) {
    found.changed.forEach((value, at) => {
      const cell = first + Math.floor(at / found.columns) * columns + (at % found.columns);
      // A square marks its own strongest place, so it counts for less the less likely it is to hold a change.
      const weighed = value - (score - found.score);
      if (weighed <= changed[cell]!) return;
      changed[cell] = weighed;
      trust[cell] = found.trust[at]!;
    });
  }
  return toEvidence({ columns, rows, changed, trust, score });
}

async function showsDocument({ facts, rgb, luma }: Picture): Promise<boolean> {
  const { width, height } = facts;
  const factor = Math.sqrt(Math.min(1, maxPixelsForLetters / (width * height)));
  const size = { width: Math.floor(width * factor), height: Math.floor(height * factor) };
  const small = factor === 1 ? luma : toLuma((await scalePixels({ rgb, width, height }, size)).rgb);
  return countLetters(small, size) >= lettersOfDocument;
}

/** Where squares begin along a side, on the block grid. */
function startsOf(length: number): readonly number[] {
  const last = Math.max(0, Math.floor((length - sidePx) / blockPx) * blockPx);
  const steps = Math.ceil(last / (sidePx - overlapPx));
  return Array.from({ length: steps + 1 }, (_, at) => Math.min(last, at * (sidePx - overlapPx)));
}

/** The last square reaches the edge. */
function endOf(start: number, length: number): number {
  return length - start < sidePx + blockPx ? length : start + sidePx;
}
