import { concludeUnderEvery } from '../../src/engine/examine.ts';
import { readPicture } from '../../src/engine/reading.ts';
import { type DecisionStrategy, defaultSeed, type ResultClass } from '../../src/engine/result.ts';
import type { Picture } from '../../src/image/picture.ts';
import type { TraceModel } from '../../src/inference/trace-model.ts';
import { noProvenance } from '../../src/provenance/provenance.ts';

export type Classes = Readonly<Record<DecisionStrategy, ResultClass>>;

/** The reading, the examination under the default strategy, and the classes under every one. */
export async function examineUnderAll(picture: Picture, model: TraceModel) {
  const reading = await readPicture(picture, model);
  const given = { picture, model, reading, provenance: noProvenance };
  const examinations = await concludeUnderEvery(given, defaultSeed);
  const { maps: _, ...examination } = examinations.default;
  const classOf = (strategy: DecisionStrategy) => examinations[strategy].decision.resultClass;
  const classes: Classes = {
    pedantic: classOf('pedantic'),
    default: classOf('default'),
    relaxed: classOf('relaxed'),
  };
  return { reading, examination, classes };
}
