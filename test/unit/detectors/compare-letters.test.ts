import { expect, test } from 'vitest';
import { measureCopies } from '../../../src/detectors/words/compare-letters.ts';
import { findWords, type Word } from '../../../src/detectors/words/find-words.ts';
import { toPlanes } from '../../../src/image/pixels.ts';
import type { Scene } from '../../fixtures/pictures.ts';
import { scannedPage } from './drawings.ts';

function read(scene: Scene) {
  const page = findWords({ ...scene, ...toPlanes(scene) });
  return { page, copies: measureCopies(page) };
}

/** The pixels of one word in the place of another. */
function copyWord({ width, height, rgb }: Scene, from: Word, to: Word): Scene {
  const after = rgb.slice();
  for (let y = -3; y < from.height + 3; y++) {
    for (let x = -3; x < from.width + 3; x++) {
      const source = 3 * ((from.top + y) * width + from.left + x);
      const target = 3 * ((to.top + y) * width + to.left + x);
      for (let channel = 0; channel < 3; channel++) {
        after[target + channel] = rgb[source + channel]!;
      }
    }
  }
  return { width, height, rgb: after };
}

const letterCopy = 2;

test('a copied word agrees with its original in noise, and no other word with any', () => {
  const scene = scannedPage();
  const { page } = read(scene);
  const long = page.words.filter(({ letters }) => letters.length >= 3);
  const [from, to] = [long[5]!, long.find((word) => word.top > long[5]!.top + 200)!];

  const { page: after, copies } = read(copyWord(scene, from, to));

  const least = copies.map(({ measures }) => measures[letterCopy]!);
  const exact = after.words.filter((_, at) => least[at]! < -9);
  expect(exact.length).toBeGreaterThanOrEqual(2);
  for (const word of exact) {
    const isNear = [from, to].some(
      (one) => Math.abs(one.top - word.top) < one.height && Math.abs(one.left - word.left) < 60,
    );
    expect(isNear, JSON.stringify(word)).toBe(true);
  }
  const copied = after.words.findIndex(
    (word, at) => least[at]! < -9 && Math.abs(word.top - to.top) < to.height,
  );
  expect(copies[copied]!.nearest!.top).toBeCloseTo(from.top, -2);
});

test('a page of one letter has nothing to compare', () => {
  const rgb = new Uint8Array(3 * 200 * 200).fill(230);
  for (let y = 90; y < 110; y++) {
    const right = y < 105 ? 94 : 105;
    rgb.fill(20, 3 * (200 * y + 90), 3 * (200 * y + right));
  }

  const { page, copies } = read({ width: 200, height: 200, rgb });

  expect(page.words).toHaveLength(1);
  expect(copies[0]).toEqual({ measures: Array(5).fill(Number.NaN), nearest: null });
});
