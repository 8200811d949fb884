/** Compares each word with the others of its page: its row, words of its size, and words like it in every measure. */

import type { Word } from './find-words.ts';

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
  return words.map((_, index) => {
    const others = nearest(words, likeness, index);
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

/** The words of other whole words that are most alike, most similar first. */
function nearest(words: readonly Word[], likeness: readonly Float32Array[], index: number) {
  const found: { readonly at: number; readonly distance: number }[] = [];
  for (const [at, word] of words.entries()) {
    if (word.whole === words[index]!.whole) continue;
    const distance = squaredDistance(likeness[at]!, likeness[index]!);
    if (found.length === peers && distance >= found.at(-1)!.distance) continue;
    const place = found.findLastIndex((one) => one.distance <= distance) + 1;
    found.splice(place, 0, { at, distance });
    if (found.length > peers) found.pop();
  }
  return found;
}

function squaredDistance(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at]! - other[at]!) ** 2;
  return sum;
}

export function finite(values: readonly number[]): readonly number[] {
  return values.filter((value) => Number.isFinite(value));
}
