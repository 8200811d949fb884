/**
 * Compares each letter with those of its size on the page, and each word with the places that its letters lead to. A letter
 * copied from elsewhere agrees with its original in noise too; one in another typeface agrees with none.
 */

import type { LumaPlane, PixelBox } from '../../image/pixels.ts';
import { median } from './compare-words.ts';
import type { Letter, Page, Word } from './find-words.ts';

/** Most letters that one is compared with, of how many of similar height, and how many of them exactly. */
const maxCompared = 64;
const maxTried = 300;
const finalists = 4;
/** Paper around a letter or word that is compared with it, in pixels. */
const edgePx = 1;
/** Differences below this share of the variance are not distinguished. */
const leastDifference = 1e-4;

/** How far one place on the page is from another, in pixels. */
interface Shift {
  readonly right: number;
  readonly down: number;
}

/** A place that shows the same as a letter or word; `difference` is the mean squared one. */
type Match = Shift & { readonly difference: number };

/**
 * The measures of each word, differences relative to its variance and as logarithms: the least difference from another
 * place on the page, and how much smaller it is than that of the next place; the least and the median difference of its
 * letters from another letter, and how much more alike one is to the most similar letter than to the next. NaN where
 * nothing is comparable. `nearest` is the place most similar to one of its letters.
 */
export function measureCopies(page: Page) {
  const letters = page.words.flatMap((word) => word.letters).toSorted(bySize);
  const places = new Map(letters.map((letter, at) => [letter, at]));
  return page.words.map((word) => {
    const matches = word.letters.map((letter) => matchLetter(page, letters, places.get(letter)!));
    const compared = word.letters.flatMap((letter, at) =>
      compareLetter(page, letter, matches[at]!),
    );
    const [nearest] = compared.toSorted((one, other) => one.least - other.least);
    return {
      measures: [...measureWord(page, word, matches.flat()), ...summarise(compared)],
      nearest: nearest?.place ?? null,
    };
  });
}

function bySize(one: Letter, other: Letter): number {
  return one.height - other.height || one.width - other.width || one.area - other.area;
}

/** The most similar other letters, most similar first. */
function matchLetter(page: LumaPlane, letters: readonly Letter[], at: number): readonly Match[] {
  const letter = letters[at]!;
  const box = widen(letter, edgePx);
  if (!isOnPage(page, box)) return [];
  const shifts = ofSameSize(letters, at).map(({ left, top }) => ({
    right: left - letter.left,
    down: top - letter.top,
  }));
  const rough = mostAlike(shifts.map((shift) => match(page, box, shift, 2)));
  return mostAlike(rough.slice(0, finalists).map((shift) => closest(page, box, shift)));
}

/** Without those off the page. */
function mostAlike(matches: readonly Match[]): readonly Match[] {
  return matches
    .filter(({ difference }) => Number.isFinite(difference))
    .toSorted((one, other) => one.difference - other.difference);
}

function match(page: LumaPlane, box: PixelBox, shift: Shift, step = 1): Match {
  return { ...shift, difference: compare(page, box, shift, step, Number.POSITIVE_INFINITY) };
}

function ofSameSize(letters: readonly Letter[], at: number): readonly Letter[] {
  const letter = letters[at]!;
  const alike: Letter[] = [];
  const isAlike = (other: Letter) =>
    Math.abs(other.width - letter.width) <= 1 &&
    Math.abs(other.area - letter.area) <= 2 + 0.12 * letter.area;
  // By turns smaller and larger ones, so that those of the same size come first.
  for (let by = 1; by < maxTried && alike.length < maxCompared; by++) {
    const pair = [letters[at - by], letters[at + by]].filter((other) => other !== undefined);
    const ofHeight = pair.filter(({ height }) => Math.abs(height - letter.height) <= 1);
    if (ofHeight.length === 0) break;
    alike.push(...ofHeight.filter(isAlike));
  }
  return alike;
}

/** The border of a letter may be found a pixel further in one place than in the other. */
function closest(page: LumaPlane, box: PixelBox, to: Shift): Match {
  let best: Match = { ...to, difference: Number.POSITIVE_INFINITY };
  for (let step = 0; step < 9; step++) {
    const moved = {
      right: to.right + ((step + 1) % 3) - 1,
      down: to.down + (Math.floor(step / 3 + 1) % 3) - 1,
    };
    const difference = compare(page, box, moved, 1, best.difference);
    if (difference < best.difference) best = { ...moved, difference };
  }
  return best;
}

function widen({ left, top, width, height }: PixelBox, by: number): PixelBox {
  return { left: left - by, top: top - by, width: width + 2 * by, height: height + 2 * by };
}

function isOnPage(page: LumaPlane, { left, top, width, height }: PixelBox): boolean {
  return left >= 0 && top >= 0 && left + width <= page.width && top + height <= page.height;
}

/** Mean squared difference from the place beside, of every `step`th pixel; infinite beyond `most`, or off the page. */
function compare(page: LumaPlane, box: PixelBox, to: Shift, step: number, most: number): number {
  const moved = { ...box, left: box.left + to.right, top: box.top + to.down };
  if (!isOnPage(page, moved)) return Number.POSITIVE_INFINITY;
  const count = Math.ceil(box.width / step) * Math.ceil(box.height / step);
  const { luma, width } = page;
  const by = to.down * width + to.right;
  let sum = 0;
  for (let y = box.top; y < box.top + box.height; y += step) {
    const line = y * width;
    for (let at = line + box.left; at < line + box.left + box.width; at += step) {
      const gap = luma[at]! - luma[at + by]!;
      sum += gap * gap;
    }
    if (sum > most * count) return Number.POSITIVE_INFINITY;
  }
  return sum / count;
}

function varianceOf({ luma, width }: LumaPlane, box: PixelBox): number {
  let [sum, squares] = [0, 0];
  for (let y = box.top; y < box.top + box.height; y++) {
    for (let x = box.left; x < box.left + box.width; x++) {
      const value = luma[y * width + x]!;
      sum += value;
      squares += value * value;
    }
  }
  const area = box.width * box.height;
  return squares / area - (sum / area) ** 2 + 1;
}

const relative = (difference: number, variance: number) =>
  Math.log(difference / variance + leastDifference);

function measureWord(page: Page, word: Word, matches: readonly Match[]): readonly number[] {
  const box = widen(word, edgePx);
  if (!isOnPage(page, box)) return [Number.NaN, Number.NaN];
  const isElsewhere = ({ right, down }: Match) =>
    Math.abs(right) >= word.width / 2 || Math.abs(down) >= word.height / 2;
  const [first, ...others] = mostAlike(
    matches.filter(isElsewhere).map((one) => match(page, box, one)),
  );
  if (!first) return [Number.NaN, Number.NaN];
  const next = others.find(
    ({ right, down }) => Math.abs(right - first.right) + Math.abs(down - first.down) > 3,
  );
  const variance = varianceOf(page, box);
  const least = relative(first.difference, variance);
  return [least, least - relative(next?.difference ?? variance, variance)];
}

function compareLetter(page: LumaPlane, letter: Letter, [first, next]: readonly Match[]) {
  if (!first) return [];
  const variance = varianceOf(page, widen(letter, edgePx));
  const least = relative(first.difference, variance);
  const place = { ...letter, left: letter.left + first.right, top: letter.top + first.down };
  return [{ least, lead: least - relative(next?.difference ?? variance, variance), place }];
}

function summarise(letters: ReturnType<typeof compareLetter>): readonly number[] {
  if (letters.length === 0) return [Number.NaN, Number.NaN, Number.NaN];
  const differences = letters.map(({ least }) => least);
  return [
    Math.min(...differences),
    median(differences),
    Math.min(...letters.map(({ lead }) => lead)),
  ];
}
