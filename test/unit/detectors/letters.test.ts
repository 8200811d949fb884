import { expect, test } from 'vitest';
import { countLetters, lettersOfDocument } from '../../../src/detectors/letters.ts';
import { scenePicture } from '../engine/fixtures.ts';

const size = { width: 640, height: 320 };

/** Five lines of the letter H, which fall by so many pixels over the width of the page. */
function drawPage(fall: number, ink: number): Uint8Array {
  const luma = new Uint8Array(size.width * size.height).fill(221);
  for (let line = 0; line < 5; line++) {
    for (let left = 40; left < 560; left += left % 112 === 96 ? 24 : 14) {
      const top = 60 + 40 * line + Math.round((fall * left) / size.width);
      for (let y = 0; y < 14; y++) {
        for (let x = 0; x < 10; x++) {
          const isInk = x < 2 || x >= 8 || (y >= 6 && y < 8);
          if (isInk) luma[(top + y) * size.width + left + x] = ink;
        }
      }
    }
  }
  return luma;
}

test.each([0, 22])('a page whose lines fall by %i pixels is a document', (fall) => {
  expect(countLetters(drawPage(fall, 40), size)).toBeGreaterThan(2 * lettersOfDocument);
});

test('letters as light as the noise of paper do not count', () => {
  expect(countLetters(drawPage(0, 210), size)).toBe(0);
});

test('a scene without text has hardly any', async () => {
  const { luma, facts } = await scenePicture(640, 480);

  expect(countLetters(luma, facts)).toBeLessThan(lettersOfDocument / 3);
});
