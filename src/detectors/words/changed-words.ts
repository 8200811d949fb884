/**
 * Finds words that were replaced on a page: on an untouched one, words of the same size, ink and paper agree in noise,
 * sharpness and traces of saving, and a word that was typed or copied in later does not agree with those like it.
 */

import type { WordModel } from '../../contract/manifest.ts';
import type { Picture } from '../../image/picture.ts';
import type { LumaPlane } from '../../image/pixels.ts';
import {
  type Detector,
  type LocalisedFinding,
  noWeight,
  sided,
  type Skipped,
} from '../detector.ts';
import {
  areaOf,
  type CellMap,
  largestRegion,
  regionMeasures,
  type Region,
  type Size,
} from '../regions.ts';
import type { FindingStatement } from '../statements.ts';
import { storedLuma, storedRgb, toUpright } from '../stored-plane.ts';
import { deviations, finite, measureRow, median } from './compare-words.ts';
import { findWords, type Page, type Word } from './find-words.ts';
import { measureNames, type Measured, measureWords } from './measure-words.ts';

const method = 'changed-words';

/**
 * Textured photographs have dark shapes too, but not in rows. Of 96 photographs of 12 sources, three had this share of
 * words with at least three letters on one line with their neighbours; of 280 documents, seven of eight.
 */
const minWords = 24;
const minInRows = 10;
const minShareInRows = 0.06;

export const changedWords: Detector<LocalisedFinding | Skipped> = {
  method,
  examine: ({ picture, words: model }) => {
    const plane = storedLuma(picture);
    const page = model !== null && isFitted(model) ? findPage(plane) : null;
    if (model === null || page === null) return { method, reason: 'too_few_words' };
    const score = scorePage(page, measureWords(page, storedRgb(picture)), model);
    return toLocalisedFinding(page, score, model, picture.facts);
  },
};

/** Weights of another release may be for other measures. */
function isFitted({ floors }: WordModel): boolean {
  return Object.keys(floors).join(' ') === comparedMeasures.join(' ');
}

/** Null if the picture is no page of words. */
export function findPage(plane: LumaPlane): Page | null {
  const page = mayBePage(plane) ? findWords(plane) : null;
  return page !== null && isPage(page.words) ? page : null;
}

const bands = 6;
const bandsPerHeight = 24;
const minShareInBands = 0.02;

/**
 * Looks for words in a quarter of the picture, because most pictures are no pages. Of 72 pages, 70 pass; of 52 photographs
 * of two sources, four.
 */
function mayBePage({ luma, width, height }: LumaPlane): boolean {
  const rows = Math.min(height, Math.max(40, Math.round(height / bandsPerHeight)));
  let [inRows, all] = [0, 0];
  for (let band = 0; band < bands; band++) {
    const top = Math.round(((band + 0.5) / bands) * (height - rows));
    const inBand = luma.subarray(top * width, (top + rows) * width);
    const { words } = findWords({ luma: inBand, width, height: rows });
    inRows += countInRows(words);
    all += words.length;
  }
  return inRows >= Math.max(1, minShareInBands * all);
}

function isPage(words: readonly Word[]): boolean {
  const isFull = words.filter((word) => isInRow(measureRow(words, word))).length >= minWords;
  return isFull && countInRows(words) >= Math.max(minInRows, minShareInRows * words.length);
}

/** Words of at least three letters that stand exactly on one line with their neighbours. */
function countInRows(words: readonly Word[]): number {
  const long = words.filter(({ letters }) => letters.length >= 3);
  return long.filter((word) => isInRow(measureRow(words, word), 0.12, 0.2)).length;
}

/** Whether a word has neighbours, and stands on one line with them. Keys, stains and folds do not, and stand out. */
function isInRow(
  [offset, relativeHeight]: readonly number[],
  most = 0.35,
  mostHeight = 0.45,
): boolean {
  return Math.abs(offset!) < most && Math.abs(relativeHeight!) < mostHeight;
}

/** Differences in these measures that count as one, when words are compared with those like them. */
const likeness: readonly (readonly [string, number])[] = [
  ['height', 0.2],
  ['contrast', 0.3],
  ['inkBlue', 6],
  ['inkRed', 6],
  ['paper', 25],
];
/** The distance across the page that counts as one, as a share of its longer side. */
const nearby = 0.25;
/** Measures that are also given to the trees as they are, and those of which the page's median is. */
const asMeasured: readonly string[] = [
  'height',
  'contrast',
  'noise',
  'spectrum',
  'flat',
  'width',
  'copy',
  'copyLead',
  'letterCopy',
  'letterLead',
];
const pageMedians: readonly string[] = ['noise', 'spectrum', 'flat'];
/** Only for likeness. */
const notCompared: ReadonlySet<string> = new Set(['height', 'paper']);

export const comparedMeasures = measureNames.filter((name) => !notCompared.has(name));
const at = (name: string) => measureNames.indexOf(name);

function isText(row: Float32Array): boolean {
  return isInRow([row[at('baseline')]!, row[at('relativeHeight')]!]);
}

/** The words that are compared, what the trees read of each, and what is read of the page. */
export function readInputs(page: Page, measured: Measured, floors: WordModel['floors']) {
  const words = page.words.filter((_, index) => isText(measured.rows[index]!));
  const rows = measured.rows.filter(isText);
  const longer = Math.max(page.width, page.height);
  const points = rows.map((row, index) => {
    const { left, top, width, height } = words[index]!;
    const place = [left + width / 2, top + height / 2].map((it) => it / longer / nearby);
    const known = likeness.map(([name, scale]) => (row[at(name)]! || 0) / scale);
    return Float32Array.of(...known, ...place);
  });
  const values = rows.map((row) => Float32Array.from(comparedMeasures, (name) => row[at(name)]!));
  const least = comparedMeasures.map((name) => floors[name]!);
  const ofPage = [
    Math.log(page.words.length),
    ...pageMedians.map((name) => median(finite(measured.rows.map((row) => row[at(name)]!)))),
    measured.pageFit,
    median(page.words.map((word) => word.letterHeight)),
  ];
  const ofWords = deviations(words, points, values, least).map((deviating, index) => {
    const row = rows[index]!;
    return [...deviating, ...asMeasured.map((name) => row[at(name)]!), ...ofPage];
  });
  const nearest = measured.nearest.filter((_, index) => isText(measured.rows[index]!));
  return { words, ofWords, ofPage, nearest };
}

/** Log odds that a word of the page was changed, and the word that stands out most. */
export function scorePage(page: Page, measured: Measured, model: WordModel) {
  const { words, ofWords, ofPage } = readInputs(page, measured, model.floors);
  const scores = ofWords.map((inputs) =>
    model.trees.reduce((sum, tree) => sum + readTree(tree, inputs), model.offset),
  );
  // The more words a page has, and the further others stand out, the further one stands out by chance.
  const sorted = scores.toSorted((one, other) => other - one);
  const highest = sorted[0]!;
  const inputs = [
    highest,
    sorted[1]!,
    sorted[2]!,
    highest - sorted[Math.floor(sorted.length / 20)]!,
    highest - sorted[sorted.length >> 1]!,
    ...ofPage.slice(0, -1),
  ];
  const logOdds = inputs.reduce((sum, value, input) => sum + value * model.page[input]!, 0);
  return { logOdds: logOdds + model.pageOffset, strongest: words[scores.indexOf(highest)]! };
}

/** A node is `[value]`, or `[input, limit, below, above, missing]`, of which the last three are indices of nodes. */
function readTree(tree: WordModel['trees'][number], inputs: readonly number[]): number {
  let node = tree[0]!;
  while (node.length > 1) {
    const [input = 0, limit = 0, below = 0, above = 0, missing = 0] = node;
    const value = inputs[input]!;
    node = tree[Number.isNaN(value) ? missing : value <= limit ? below : above]!;
  }
  return node[0]!;
}

/** Side of a map's cells in pixels, and values of the map: at the word that stands out, and elsewhere. */
const cellPx = 4;
const marked = 0.875;
const neutral = 0.5;

type Facts = Picture['facts'];

function toLocalisedFinding(
  page: Page,
  { logOdds, strongest }: ReturnType<typeof scorePage>,
  { suspectedFrom, ratio, tested }: WordModel,
  facts: Facts,
): LocalisedFinding {
  const word = logOdds >= suspectedFrom ? strongest : null;
  const map = toUpright(markWord(page, word), facts);
  const region = largestRegion(map, marked, facts);
  const finding = {
    method,
    ...(region === null ? noWeight : sided('fake', ratio)),
    score: region === null ? noWeight.score : ratio / (1 + ratio),
    statement: toStatement(region, facts, tested),
    measures: { words: page.words.length, logOdds, ...(region && regionMeasures(region)) },
    source:
      'Measures and decision trees of this program, fitted on changed and untouched documents.',
  };
  return { finding, map };
}

function toStatement(
  region: Region | null,
  size: Size,
  tested: WordModel['tested'],
): FindingStatement {
  if (region === null) return { code: 'words_agree', values: {} };
  return { code: 'word_stands_out', values: { ...areaOf(region, size), ...tested } };
}

function markWord({ width, height }: Page, word: Word | null): CellMap {
  const [columns, rows] = [Math.ceil(width / cellPx), Math.ceil(height / cellPx)];
  const values = new Float32Array(columns * rows).fill(neutral);
  if (word !== null) {
    const first = Math.floor(word.left / cellPx);
    const end = Math.ceil((word.left + word.width) / cellPx);
    for (let row = Math.floor(word.top / cellPx); row * cellPx < word.top + word.height; row++) {
      values.fill(marked, row * columns + first, row * columns + end);
    }
  }
  return { cellPx, columns, rows, values };
}
