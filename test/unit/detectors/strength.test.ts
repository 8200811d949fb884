import { expect, test } from 'vitest';
import { strengths } from '../../../src/contract/vocabulary.ts';
import { strengthOfRatio, conventionalWeight } from '../../../src/detectors/detector.ts';

/** ENFSI guideline for evaluative reporting (2015): the words and their lower limits. */
test.each([
  [1, 'none'],
  [1.99, 'none'],
  [2, 'weak'],
  [9.99, 'weak'],
  [10, 'moderate'],
  [100, 'moderatelyStrong'],
  [1000, 'strong'],
  [9999, 'strong'],
  [10_000, 'veryStrong'],
  [Number.POSITIVE_INFINITY, 'veryStrong'],
] as const)('a likelihood ratio of %d is %s', (ratio, word) => {
  expect(strengthOfRatio(ratio)).toBe(word);
});

test('the score of a strength maps back to it, for either side', () => {
  for (const strength of strengths.slice(1)) {
    const { score } = conventionalWeight('fake', strength);
    const { score: opposite } = conventionalWeight('real', strength);

    expect(strengthOfRatio(Math.round(score / (1 - score)))).toBe(strength);
    expect(opposite).toBeCloseTo(1 - score, 12);
  }
});
