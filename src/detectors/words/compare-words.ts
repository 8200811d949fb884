/** Compares each word with the others of its page: its row, words of its size, and words like it in every measure. */

import type { Page, Word } from './find-words.ts';

/** Offset of the baseline and of the height from up to four words nearest in the row, in heights. */
export function measureRow(words: readonly Word[], word: Word): readonly number[] {
  const { letterHeight: height, top } = word;
  const distance = (one: Word) => Math.abs(one.left + one.width / 2 - word.left - word.width / 2);
  const row = words.filter((one) => {
    const overlap = Math.min(top + word.height, one.top + one.height) - Math.max(top, one.top);
    const isAlike = one.letterHeight < 1.6 * height && one.letterHeight > height / 1.6;
    const isNear = one !== word && distance(one) <= 14 * height;
    return isNear && isAlike && overlap > 0.6 * Math.min(height, one.letterHeight);
  });
  const near = row.toSorted((one, other) => distance(one) - distance(other)).slice(0, 4);
  if (near.length === 0) return [Number.NaN, Number.NaN];
  return [
    (word.baseline - median(near.map((one) => one.baseline))) / height,
    Math.log(height / median(near.map((one) => one.letterHeight))),
  ];
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

/** Pixels that one word is compared with. Limits the time on pages of one word repeated. */
const maxCompared = 150_000;

/**
 * The least difference from any other word of this size, relative to the word's own variance, as a logarithm; then how much
 * smaller it is than that from the next word.
 */
export function measureTwin(page: Page, word: Word): readonly number[] {
  const { luma, width: columns, words } = page;
  const { left, top, width, height } = word;
  if (width < 4 || height < 6) return [Number.NaN, Number.NaN];
  let [sum, squares] = [0, 0];
  for (let y = top; y < top + height; y++) {
    for (let x = left; x < left + width; x++) {
      sum += luma[y * columns + x]!;
      squares += luma[y * columns + x]! ** 2;
    }
  }
  let [least, second] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const alike = words.filter((other) => {
    const isOther = other !== word && Math.abs(other.width - width) <= 2;
    return isOther && Math.abs(other.height - height) <= 2;
  });
  for (const other of alike.slice(0, Math.ceil(maxCompared / (width * height)))) {
    const here = leastDifference(page, word, other, second);
    if (here < least) [least, second] = [here, least];
    else if (here < second) second = here;
  }
  if (!Number.isFinite(least)) return [Number.NaN, Number.NaN];
  const area = width * height;
  const variance = squares / area - (sum / area) ** 2 + 1;
  const relative = (squared: number) => Math.log(squared / area / variance + 1e-4);
  const twin = relative(least);
  return [twin, twin - relative(Number.isFinite(second) ? second : area * variance)];
}

/** The other word may be shifted by a pixel. */
function leastDifference(page: Page, word: Word, other: Word, most: number): number {
  let least = most;
  for (let shift = 0; shift < 9; shift++) {
    const [x, y] = [other.left + (shift % 3) - 1, other.top + Math.floor(shift / 3) - 1];
    if (x < 0 || y < 0 || x + word.width > page.width || y + word.height > page.height) continue;
    least = Math.min(least, difference(page.luma, page.width, word, y * page.width + x, least));
  }
  return least < most ? least : Number.POSITIVE_INFINITY;
}

/** Sum of squared differences; infinite as soon as it exceeds `most`. */
function difference(luma: Uint8Array, columns: number, word: Word, from: number, most: number) {
  let sum = 0;
  for (let y = 0; y < word.height; y++) {
    const one = (word.top + y) * columns + word.left;
    for (let x = 0; x < word.width; x++) {
      sum += (luma[one + x]! - luma[from + y * columns + x]!) ** 2;
    }
    if (sum > most) return Number.POSITIVE_INFINITY;
  }
  return sum;
}

/** How many of the most similar words a word is compared with, and how few measures suffice. */
const peers = 24;
const minPeers = 4;
/** A deviation counts no further than this. */
const mostDeviations = 30;
/** Furthest distance that counts between a word and its peers. */
const farthest = 20;

/**
 * For each word, how many robust deviations each measure is from the median of the words most similar in size, ink, paper
 * and place, without those of the same whole word; then the mean distance of these words.
 *
 * @param likeness - a point for each word; close points are similar words.
 * @param floors - least deviation that counts, for each measure.
 */
export function deviations(
  words: readonly Word[],
  likeness: readonly Float32Array[],
  measures: readonly Float32Array[],
  floors: readonly number[],
) {
  const spreads = floors.map((floor, column) => {
    const values = finite(measures.map((row) => row[column]!));
    const middle = median(values);
    return 0.3 * median(values.map((value) => Math.abs(value - middle))) + floor;
  });
  return words.map((word, index) => {
    const others = words
      .map((other, at) => ({ at, isOther: other.whole !== word.whole }))
      .filter(({ isOther }) => isOther)
      .map(({ at }) => ({ at, distance: squaredDistance(likeness[at]!, likeness[index]!) }))
      .toSorted((one, other) => one.distance - other.distance)
      .slice(0, peers);
    const distances = others.map(({ distance }) => Math.min(farthest, Math.sqrt(distance)));
    const scores = spreads.map((spread, column) => {
      const own = measures[index]![column]!;
      const values = finite(others.map(({ at }) => measures[at]![column]!));
      if (values.length < minPeers || !Number.isFinite(own)) return Number.NaN;
      const middle = median(values);
      const deviation = 1.48 * median(values.map((value) => Math.abs(value - middle))) + spread;
      return Math.min(mostDeviations, Math.max(-mostDeviations, (own - middle) / deviation));
    });
    const mean = distances.reduce((sum, one) => sum + one, 0) / Math.max(1, distances.length);
    return [...scores, distances.length > 0 ? mean : farthest];
  });
}

function squaredDistance(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, at) => sum + (value - other[at]!) ** 2, 0);
}

export function finite(values: readonly number[]): readonly number[] {
  return values.filter((value) => Number.isFinite(value));
}
