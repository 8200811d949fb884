/** Reference statistics of the embedding, from `statistics.json` in an image model's folder. */

import {
  damaged,
  fields,
  list,
  number,
  object,
  parseModelJson,
  type Reader,
  whole,
} from './fields.ts';

const statistics = (dimension: number) =>
  object({
    embedding: object({
      dimension: whole(1, 4096),
      mean: vector(dimension),
      /** Row-major `dimension * dimension`; the squared distance of e is |W (e - mean)|^2. */
      whitening: vector(dimension ** 2),
    }),
    /** 101 quantiles, 0..100%, of distances of patches and of picture means, for sources not used in training. */
    distanceQuantiles: quantiles,
    pictureDistanceQuantiles: quantiles,
    prototypes: object({ realCompressed: vector(dimension), fakeCompressed: vector(dimension) }),
  });
export type EmbeddingStatistics = ReturnType<ReturnType<typeof statistics>>;

/** @throws {ForensicsError} `model_integrity` if a vector has the wrong length or quantiles are not ascending. */
export function parseStatistics(json: string): EmbeddingStatistics {
  const root = fields(parseModelJson(json, 'statistics.json'), 'statistics.json');
  const { dimension } = fields(root['embedding'], 'embedding');
  return statistics(whole(1, 4096)(dimension, 'embedding.dimension'))(root, 'statistics.json');
}

function vector(length: number): Reader<readonly number[]> {
  return (value, name) => {
    if (!Array.isArray(value) || value.length !== length) {
      throw damaged(`${name} does not have ${length} numbers`);
    }
    return list(number(-1e12, 1e12))(value, name);
  };
}

const quantiles: Reader<readonly number[]> = (value, name) => {
  const read = vector(101)(value, name);
  if (read.every((entry, at) => at === 0 || entry >= read[at - 1]!)) return read;
  throw damaged(`${name} is not increasing`);
};
