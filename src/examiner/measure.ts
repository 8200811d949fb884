import type { DecisionStrategy } from '../contract/vocabulary.ts';
import { concludeUnderEvery } from '../engine/examine.ts';
import { observe } from '../engine/observe.ts';
import type { Examination } from '../engine/result.ts';
import type { OpeningModels } from '../engine/schedule.ts';
import { decidingDetectors } from '../engine/shown-methods.ts';
import { saveJpeg, scalePixels } from '../image/codec.ts';
import type { Pixels } from '../image/pixels.ts';
import { decodePicture } from '../image/decode.ts';
import type { Limits, Picture } from '../image/picture.ts';
import { readProvenance } from '../provenance/read-provenance.ts';
import { checkSeed } from './examine.ts';
import { openPicture } from './open-picture.ts';
import type {
  Condition,
  ConditionResult,
  Measurement,
  MeasureRequest,
  TaskContext,
} from './requests.ts';

export async function performMeasure(
  { source, options }: MeasureRequest,
  { limits, modelsDir, trustList, models }: TaskContext,
): Promise<Measurement> {
  checkSeed(options);
  const [{ picture, bytes }, loaded] = await Promise.all([
    openPicture(source, limits),
    models.load({ model: options.model }, modelsDir),
  ]);
  const { declarations } = await readProvenance(bytes, picture, { trustList });
  const readings: ConditionResult[] = [];
  let made: Pick<Measurement, 'model' | 'environment'> | null = null;
  for await (const { condition, picture: passed } of underConditions(picture, limits)) {
    const examinations = await underStrategies(passed, loaded, options.seed);
    readings.push(toConditionResult(condition, examinations));
    made ??= examinations.default;
  }
  if (made === null) throw new TypeError('No condition was measured.');
  return {
    sha256: picture.facts.sha256,
    declaresGeneration: declarations.some(({ origin }) => origin !== 'captured'),
    model: made.model,
    environment: made.environment,
    readings,
  };
}

type ByStrategy = Readonly<Record<DecisionStrategy, Examination>>;

/** Scores the pixels once and decides under all three strategies. */
async function underStrategies(
  picture: Picture,
  models: OpeningModels,
  seed: number,
): Promise<ByStrategy> {
  const methods = decidingDetectors(models.locator.manifest);
  return concludeUnderEvery(await observe(picture, models, seed, undefined, methods));
}

function toConditionResult(condition: Condition, examinations: ByStrategy): ConditionResult {
  const toVerdict = (strategy: DecisionStrategy) => {
    const { resultClass, reasons } = examinations[strategy].decision;
    return { resultClass, reasons };
  };
  return {
    condition,
    fakeProbability: examinations.default.decision.fakeProbability,
    verdicts: {
      pedantic: toVerdict('pedantic'),
      default: toVerdict('default'),
      relaxed: toVerdict('relaxed'),
    },
  };
}

// The processing histories under which a picture is measured: as the file is, after a sharing service, and after it was
// shared once more at a small size. Each starts from decoded pixels, so that photographs and generated pictures go
// through exactly the same steps.

interface Pass {
  /** Scale relative to the previous picture, whose longest side is `longestSidePx`. */
  readonly chooseScale: (longestSidePx: number) => number;
  readonly quality: number;
}

/** Each pass starts from the result of the previous one. */
const passes: readonly (Pass & { readonly condition: Condition })[] = [
  // Roughly the size to which social networks reduce a large picture, at a quality common in their files.
  { condition: 'web', chooseScale: (longest) => Math.min(1, 1600 / longest), quality: 75 },
  // The web copy as a small preview in a messaging app, saved once more.
  { condition: 'hard', chooseScale: () => 0.5, quality: 60 },
];

/** Yields the picture under each condition, up to the first in which it would be too small to examine. */
async function* underConditions(
  picture: Picture,
  limits: Limits,
): AsyncGenerator<{ readonly condition: Condition; readonly picture: Picture }> {
  yield { condition: 'clean', picture };
  let pixels = toPixels(picture);
  for (const { condition, ...pass } of passes) {
    const scale = pass.chooseScale(Math.max(pixels.width, pixels.height));
    const size = {
      width: Math.round(pixels.width * scale),
      height: Math.round(pixels.height * scale),
    };
    if (Math.min(size.width, size.height) < limits.minSidePx) return;
    const isSameSize = size.width === pixels.width && size.height === pixels.height;
    const scaled = isSameSize ? pixels : await scalePixels(pixels, size);
    const passed = await decodePicture(await saveJpeg(scaled, pass.quality), { limits });
    yield { condition, picture: passed };
    pixels = toPixels(passed);
  }
}

function toPixels({ facts: { width, height }, rgb }: Picture): Pixels {
  return { width, height, rgb };
}
