import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { changedWords, comparedMeasures } from '../../../src/detectors/words/changed-words.ts';
import { findWords, type Word } from '../../../src/detectors/words/find-words.ts';
import { measureNames, measureWords } from '../../../src/detectors/words/measure-words.ts';
import { type PixelBox, toPlanes } from '../../../src/image/pixels.ts';
import { type WordModel } from '../../../src/contract/manifest.ts';
import { fromScene, type Scene } from '../../fixtures/pictures.ts';
import { scannedPage } from './drawings.ts';
import { inputOf } from './input.ts';
import { measureCopies } from '../../../src/detectors/words/compare-letters.ts';

/** Only the noise counts: a word with far less of it than those like it stands out. */
const model: WordModel = {
  floors: Object.fromEntries(comparedMeasures.map((name) => [name, 0.05])),
  offset: 0,
  trees: [[[3, -4, 1, 2, 2], [5], [-1]]],
  page: [1, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  pageOffset: 0,
  suspectedFrom: 3,
  ratio: 12,
  tested: { unchanged: 203, wrongly: 2 },
};

/** Paints over the word and types bars into it, without the scanner's noise. */
function retype({ width, height, rgb }: Scene, word: PixelBox): Scene {
  const after = rgb.slice();
  for (let y = word.top - 3; y < word.top + word.height + 3; y++) {
    for (let x = word.left - 3; x < word.left + word.width + 3; x++) {
      const isInside = y >= word.top && y < word.top + word.height && x >= word.left;
      const isBar = isInside && (x - word.left) % 9 < 3 && x < word.left + word.width;
      after.fill(isBar ? 40 : 237, 3 * (y * width + x), 3 * (y * width + x) + 3);
    }
  }
  return { width, height, rgb: after };
}

const examine = async (scene: Scene) =>
  changedWords.examine({ ...(await inputOf(fromScene(scene).png())), words: model });

describe('a page', () => {
  test('on which a word was typed again is suspected at that word', async () => {
    const page = scannedPage();
    const { words } = findWords({ ...page, ...toPlanes(page) });
    const word = words.find(
      ({ left, top, letters }) => left > 300 && top > 300 && letters.length > 3,
    )!;

    const answer = await examine(retype(page, word));

    expect(answer).toMatchObject({
      finding: { speaksFor: 'fake', strength: 'moderate', statement: { code: 'word_stands_out' } },
    });
    const measures = 'finding' in answer ? answer.finding.measures : {};
    const middle = (measures['regionLeft'] ?? 0) + (measures['regionWidth'] ?? 0) / 2;
    expect(Math.abs(middle - word.left - word.width / 2)).toBeLessThan(word.width);
    expect(Math.abs((measures['regionTop'] ?? 0) - word.top)).toBeLessThan(2 * word.height);
  });

  test('that nobody changed is not suspected', async () => {
    expect(await examine(scannedPage())).toMatchObject({
      finding: { speaksFor: 'neither', statement: { code: 'words_agree' } },
    });
  });

  test('is only read with a model that compares these measures of words', async () => {
    const input = await inputOf(fromScene(scannedPage()).png());
    const earlier = { ...model, floors: { ...model.floors, twin: 0.3 } };

    expect(changedWords.examine(input)).toMatchObject({ reason: 'too_few_words' });
    expect(changedWords.examine({ ...input, words: earlier })).toMatchObject({
      reason: 'too_few_words',
    });
  });
});

test('a picture without rows of letters is not a page', async () => {
  const flat = sharp({ create: { width: 400, height: 300, channels: 3, background: '#ddd' } });

  const answer = changedWords.examine({ ...(await inputOf(flat.png())), words: model });

  expect(answer).toMatchObject({ reason: 'too_few_words' });
});

test('measures agree with those on which the weights were fitted', async () => {
  const table = new URL('words-of-a-page.json', import.meta.url);
  const expected: { words: number; rows: Row[] } = JSON.parse(readFileSync(table, 'utf8'));
  const page = scannedPage();

  const found = findWords({ ...page, ...toPlanes(page) });
  const { rows } = measureWords(found, page.rgb);

  expect(found.words).toHaveLength(expected.words);
  for (const { box, measures } of expected.rows) {
    const at = found.words.findIndex((word) => word.left === box[0] && word.top === box[1]);
    for (const [column, name] of measureNames.entries()) {
      const [value, measured] = [measures[column] ?? null, rows[at]![column]!];
      if (value === null) expect(measured, name).toBeNaN();
      // Coefficients halfway between two bins fall into either.
      else expect(measured, name).toBeCloseTo(value, name === 'fit' ? 1 : 2);
    }
  }
});

interface Row {
  readonly box: readonly number[];
  readonly measures: readonly (number | null)[];
}

function read(scene: Scene) {
  const page = findWords({ ...scene, ...toPlanes(scene) });
  return { page, copies: measureCopies(page) };
}

/** The pixels of one word in the place of another. */
function copyWord({ width, height, rgb }: Scene, from: Word, to: Word): Scene {
  const after = rgb.slice();
  const startOf = ({ left, top }: Word, row: number) => 3 * ((top + row) * width + left - 3);
  for (let row = -3; row < from.height + 3; row++) {
    const start = startOf(from, row);
    after.set(rgb.subarray(start, start + 3 * (from.width + 6)), startOf(to, row));
  }
  return { width, height, rgb: after };
}

test('a copied word agrees with its original in noise, and no other word with any', () => {
  const scene = scannedPage();
  const { page } = read(scene);
  const long = page.words.filter(({ letters }) => letters.length >= 3);
  const [from, to] = [long[5]!, long.find((word) => word.top > long[5]!.top + 200)!];

  const { page: after, copies } = read(copyWord(scene, from, to));

  const least = copies.map(({ measures: [, , letterCopy] }) => letterCopy!);
  const exact = after.words.filter((_, at) => least[at]! < -9);
  expect(exact.length).toBeGreaterThanOrEqual(2);
  for (const word of exact) {
    const isNear = [from, to].some(
      (one) => Math.abs(one.top - word.top) < one.height && Math.abs(one.left - word.left) < 60,
    );
    expect(isNear, JSON.stringify(word)).toBe(true);
  }
  const isCopy = ({ top }: Word, at: number) => least[at]! < -9 && Math.abs(top - to.top) < 20;
  const copied = after.words.findIndex(isCopy);
  expect(copies[copied]!.nearest!.top).toBeCloseTo(from.top, -2);
});
