/** Which of two compressed families a picture's embedding resembles. */

import type { EmbeddingStatistics } from '../inference/model.ts';
import type { Reading } from './reading.ts';
import type { ClassSimilarities } from './result.ts';

/**
 * The contract's `classSimilarities`: cosine between the mean embedding of the patches read and the mean embedding of
 * JPEG-compressed real, or generated, training pictures. -1 (opposite) .. 1 (same direction); 0 says nothing.
 */
export function measureSimilarities(
  reading: Pick<Reading, 'embeddings' | 'read'>,
  { embedding, prototypes }: EmbeddingStatistics,
): ClassSimilarities {
  const { dimension } = embedding;
  const pooled = new Float64Array(dimension);
  for (const index of reading.read) {
    for (let i = 0; i < dimension; i++) pooled[i]! += reading.embeddings[index * dimension + i]!;
  }
  return {
    realCompressed: cosine(pooled, prototypes.realCompressed),
    fakeCompressed: cosine(pooled, prototypes.fakeCompressed),
  };
}

/** 0 when one of the vectors has no length. */
export function cosine(one: ArrayLike<number>, other: ArrayLike<number>): number {
  let product = 0;
  let oneSquares = 0;
  let otherSquares = 0;
  for (let i = 0; i < one.length; i++) {
    product += one[i]! * other[i]!;
    oneSquares += one[i]! ** 2;
    otherSquares += other[i]! ** 2;
  }
  const length = Math.sqrt(oneSquares * otherSquares);
  // Rounding may carry a parallel pair a hair beyond 1.
  return length > 0 ? Math.min(1, Math.max(-1, product / length)) : 0;
}
