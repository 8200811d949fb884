/** Made-up outcomes and printed rows for tests of figures. */

import type { ResultClass } from '../../src/contract/vocabulary.ts';
import type { Outcome } from './read-samples.ts';
import type { Block, Table } from './table.ts';

/** Rows of all tables. */
export function rowsOf(blocks: readonly Block[]): Table['rows'] {
  return blocks.flatMap((block) => (typeof block === 'string' ? [] : block.rows));
}

/** Of a picture as it is, under `default` and `relaxed`; under `pedantic` it is uncertain. */
export function outcome(source: string, isFake: boolean, called: ResultClass): Outcome {
  return {
    sample: {
      file: source,
      split: 'val',
      isFake,
      generator: '',
      source,
      camera: '',
      generatorIn: 'val',
    },
    condition: 'as is',
    classes: { pedantic: 'uncertain', default: called, relaxed: called },
    flips: null,
    compression: null,
    examination: { decision: { fakeProbability: called === 'fake' ? 0.9 : 0.1 } },
  };
}

export function times(count: number, ...about: Parameters<typeof outcome>): readonly Outcome[] {
  return Array.from({ length: count }, () => outcome(...about));
}
