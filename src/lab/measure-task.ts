import { concludeUnderEvery } from '../engine/examine.ts';
import { type Models, observe } from '../engine/observe.ts';
import type { Examination } from '../engine/result.ts';
import type { Picture, PictureFacts } from '../image/picture.ts';
import { readProvenance } from '../provenance/read-provenance.ts';
import { type Condition, underConditions } from './conditions.ts';
import type { ConditionReading, Measurement, MeasureRequest } from './lab.ts';
import type { ModelShelf } from './model-shelf.ts';
import { openSource } from './open-source.ts';
import type { ChildSettings } from './tasks.ts';
import type { DecisionStrategy } from '../contract/vocabulary.ts';

export async function performMeasure(
  { source, options }: MeasureRequest,
  settings: ChildSettings,
  shelf: ModelShelf,
): Promise<Measurement> {
  const [{ picture, bytes }, models] = await Promise.all([
    openSource(source, settings.limits),
    shelf.take({ model: options.model }, settings.modelsDir),
  ]);
  const { declarations } = await readProvenance(bytes, picture, settings);
  const readings: ConditionReading[] = [];
  let made: Pick<Measurement, 'model' | 'environment'> | null = null;
  for await (const { condition, picture: passed } of underConditions(picture, settings.limits)) {
    const examinations = await underStrategies(passed, models, options.seed);
    readings.push(readingOf(condition, examinations));
    made ??= examinations.default;
  }
  if (made === null) throw new TypeError('No condition was measured.');
  return {
    facts: factsOf(picture.facts),
    declaresGeneration: declarations.some(({ origin }) => origin !== 'captured'),
    model: made.model,
    environment: made.environment,
    readings,
  };
}

type ByStrategy = Readonly<Record<DecisionStrategy, Examination>>;

/** One reading of the pixels, decided three times. */
async function underStrategies(
  picture: Picture,
  models: Models,
  seed: number,
): Promise<ByStrategy> {
  return concludeUnderEvery(await observe(picture, models, seed));
}

function readingOf(condition: Condition, examinations: ByStrategy): ConditionReading {
  const verdictOf = (strategy: DecisionStrategy) => {
    const { resultClass, reasons } = examinations[strategy].decision;
    return { resultClass, reasons };
  };
  return {
    condition,
    fakeProbability: examinations.default.decision.fakeProbability,
    verdicts: {
      pedantic: verdictOf('pedantic'),
      default: verdictOf('default'),
      relaxed: verdictOf('relaxed'),
    },
  };
}

function factsOf(facts: PictureFacts): Measurement['facts'] {
  const { format, sizeBytes, sha256, width, height, jpeg } = facts;
  const coding = jpeg && {
    quality: jpeg.quality?.value ?? null,
    chromaSubsampling: jpeg.chromaSubsampling,
  };
  return { format, sizeBytes, sha256, width, height, jpeg: coding };
}
