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
