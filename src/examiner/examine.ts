/** Examines one picture: decodes it, runs the models, reads its provenance and decides. Measures for `validate`. */

import { decisionStrategies } from '../contract/vocabulary.ts';
import { detectors } from '../detectors/list.ts';
import { concludeUnderEvery, examine, observe } from '../engine/observe.ts';
import type { Examination, ExamineOptions } from '../detectors/result.ts';
import { decidingDetectors } from '../engine/shown-methods.ts';
import { ForensicsError, imageNotAsDeclared, invalidRequest } from '../contract/errors.ts';
import { saveJpeg, scalePixels } from '../image/codec.ts';
import { findFingerprint, packFingerprint } from '../image/keypoints.ts';
import type { Limits, Picture, PictureSource } from '../image/picture.ts';
import { readProvenance } from '../provenance/read-provenance.ts';
import { openPicture } from './open-picture.ts';
import type { Condition, ConditionResult, ExamineRequest, TaskContext } from './requests.ts';
import { type Pixels, scaledSize } from '../image/pixels.ts';
import { decodePicture } from '../image/decode.ts';

export async function performExamine(
  { source, options, declared, now = new Date(), forReport = true, ...extras }: ExamineRequest,
  { limits, modelsDir, trustList, models, hasSpareCore }: TaskContext,
): Promise<Examination> {
  // An unknown strategy would have no thresholds, and without thresholds every picture would get a verdict.
  if (!decisionStrategies.includes(options.decisionStrategy)) {
    throw invalidRequest(`The decision strategy must be one of ${decisionStrategies.join(', ')}.`);
  }
  checkSeed(options);
  const { model, locator = null, ...examineOptions } = options;
  // A new child opens the models while sharp's own thread decodes.
  const [{ picture, bytes }, loaded] = await Promise.all([
    openPicture(source, limits),
    models.load({ model, locator }, modelsDir),
  ]);
  checkDeclared(picture, declared);
  const methods = forReport ? detectors : decidingDetectors(loaded.locator.manifest);
  const marks: { fingerprint?: Uint8Array } = {};
  const examination = await examine(
    picture,
    { ...loaded, hasSpareCore },
    examineOptions,
    async () => {
      // Here, because the localisation network runs in its own thread meanwhile.
      if (extras.withFingerprint === true) {
        marks.fingerprint = packFingerprint(await findFingerprint(picture));
      }
      return readProvenance(bytes, picture, { trustList, now });
    },
    methods,
  );
  return {
    ...examination,
    ...marks,
    ...(extras.withThumbnail === true && { thumbnail: await makeThumbnail(picture) }),
  };
}

const thumbnailPx = 160;

async function makeThumbnail(picture: Picture): Promise<Uint8Array> {
  const pixels = toPixels(picture);
  const scale = Math.min(1, thumbnailPx / Math.max(pixels.width, pixels.height));
  return saveJpeg(await scalePixels(pixels, scaledSize(pixels, scale)), 70);
}

function checkSeed({ seed }: Pick<ExamineOptions, 'seed'>): void {
  if (Number.isSafeInteger(seed)) return;
  throw invalidRequest('The seed must be a whole number.');
}

function checkDeclared({ facts }: Picture, declared: ExamineRequest['declared']): void {
  if (!declared) return;
  if (facts.format !== declared.format) {
    throw notAsDeclared(`a ${declared.format} file`, `a ${facts.format} file`);
  }
  const isUpright = facts.width === declared.width && facts.height === declared.height;
  const isStored = facts.storedWidth === declared.width && facts.storedHeight === declared.height;
  if (isUpright || isStored) return;
  throw notAsDeclared(
    `${declared.width} x ${declared.height} pixels`,
    `${facts.width} x ${facts.height} pixels`,
  );
}

function notAsDeclared(declared: string, found: string): ForensicsError {
  return imageNotAsDeclared(
    `The picture was declared as ${declared} but is ${found}; declare what it is or upload the right file.`,
  );
}

/** What a labelled picture contributes to error rates; without maps or findings, so that thousands fit into memory. */
export async function performMeasure(
  request: {
    readonly source: PictureSource;
    readonly options: Pick<ExamineOptions, 'model' | 'seed'>;
  },
  { limits, modelsDir, trustList, models }: TaskContext,
) {
  const { source, options } = request;
  checkSeed(options);
  const [{ picture, bytes }, loaded] = await Promise.all([
    openPicture(source, limits),
    models.load({ model: options.model }, modelsDir),
  ]);
  const { declarations } = await readProvenance(bytes, picture, { trustList });
  const methods = decidingDetectors(loaded.locator.manifest);
  const readings: ConditionResult[] = [];
  let made: Examination | null = null;
  for await (const { condition, picture: passed } of underConditions(picture, limits)) {
    // Scores the pixels once, and makes a decision under each of the three strategies.
    const observation = await observe(passed, loaded, options.seed, undefined, methods);
    const { pedantic, default: usual, relaxed } = await concludeUnderEvery(observation);
    const { fakeProbability } = usual.decision;
    const verdicts = {
      pedantic: toVerdict(pedantic),
      default: toVerdict(usual),
      relaxed: toVerdict(relaxed),
    };
    readings.push({ condition, fakeProbability, verdicts });
    made ??= usual;
  }
  if (made === null) throw new TypeError('No condition was measured.');
  return {
    sha256: picture.facts.sha256,
    /** Verdicts ignore this here, because error rates are about traces. */
    declaresGeneration: declarations.some(({ origin }) => origin !== 'captured'),
    model: made.model,
    environment: made.environment,
    /** By condition, until the picture would be too small to examine. */
    readings,
  };
}

function toVerdict({ decision: { resultClass, reasons } }: Examination) {
  return { resultClass, reasons };
}

// The processing histories under which a picture is measured: as the file is, after a sharing
// service, and after sharing it again at a small size. Each starts from decoded pixels, so that
// photographs and generated pictures go through exactly the same steps.

/** Each pass starts from the result of the one before. */
const passes = [
  // About the size to which social networks reduce a large picture, with a quality that is common in their files.
  { condition: 'web', chooseScale: (longest: number) => Math.min(1, 1600 / longest), quality: 75 },
  // The web copy as a small preview in a messaging app, saved once again.
  { condition: 'hard', chooseScale: () => 0.5, quality: 60 },
] as const;

/** Yields the picture under each condition, until it would be too small to examine. */
async function* underConditions(
  picture: Picture,
  limits: Limits,
): AsyncGenerator<{ readonly condition: Condition; readonly picture: Picture }> {
  yield { condition: 'clean', picture };
  let pixels = toPixels(picture);
  for (const { condition, ...pass } of passes) {
    const scale = pass.chooseScale(Math.max(pixels.width, pixels.height));
    const size = scaledSize(pixels, scale);
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
