/** Examines one picture: decodes it, runs the models, reads its provenance and decides. */

import { decisionStrategies } from '../contract/vocabulary.ts';
import { detectors } from '../detectors/list.ts';
import { examine } from '../engine/examine.ts';
import type { Examination, ExamineOptions } from '../engine/result.ts';
import { decidingDetectors } from '../engine/shown-methods.ts';
import { ForensicsError } from '../errors.ts';
import { saveJpeg, scalePixels } from '../image/codec.ts';
import { findFingerprint, packFingerprint } from '../image/keypoints.ts';
import type { Picture } from '../image/picture.ts';
import { readProvenance } from '../provenance/read-provenance.ts';
import { openPicture } from './open-picture.ts';
import type { ExamineRequest, TaskContext } from './requests.ts';

export async function performExamine(
  { source, options, declared, now = new Date(), forReport = true, ...wanted }: ExamineRequest,
  { limits, modelsDir, trustList, models, hasSpareCore }: TaskContext,
): Promise<Examination> {
  checkStrategy(options);
  checkSeed(options);
  const { model, locator = null, ...examineOptions } = options;
  // A new child opens the models while sharp's thread decodes.
  const [{ picture, bytes }, loaded] = await Promise.all([
    openPicture(source, limits),
    models.load({ model, locator }, modelsDir),
  ]);
  checkDeclared(picture, declared);
  const methods = forReport ? detectors : decidingDetectors(loaded.locator.manifest);
  const examination = await examine(
    picture,
    { ...loaded, hasSpareCore },
    examineOptions,
    () => readProvenance(bytes, picture, { trustList, now }),
    methods,
  );
  return { ...examination, ...(await makeExtras(picture, wanted)) };
}

async function makeExtras(
  picture: Picture,
  { withThumbnail, withFingerprint }: Pick<ExamineRequest, 'withThumbnail' | 'withFingerprint'>,
): Promise<Pick<Examination, 'thumbnail' | 'fingerprint'>> {
  return {
    ...(withThumbnail === true && { thumbnail: await makeThumbnail(picture) }),
    ...(withFingerprint === true && {
      fingerprint: packFingerprint(await findFingerprint(picture)),
    }),
  };
}

const thumbnailPx = 160;

async function makeThumbnail({ rgb, facts: { width, height } }: Picture): Promise<Uint8Array> {
  const scale = Math.min(1, thumbnailPx / Math.max(width, height));
  const size = {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  };
  return saveJpeg(await scalePixels({ width, height, rgb }, size), 70);
}

/** An unknown strategy has no thresholds, and without thresholds every picture would get a verdict. */
function checkStrategy({ decisionStrategy }: ExamineOptions): void {
  if (decisionStrategies.includes(decisionStrategy)) return;
  throw new ForensicsError(
    'invalid_request',
    `The decision strategy must be one of ${decisionStrategies.join(', ')}.`,
  );
}

export function checkSeed({ seed }: Pick<ExamineOptions, 'seed'>): void {
  if (Number.isSafeInteger(seed)) return;
  throw new ForensicsError('invalid_request', 'The seed must be a whole number.');
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
  return new ForensicsError(
    'image_not_as_declared',
    `The picture was declared as ${declared} but is ${found}; declare what it is or upload the right file.`,
  );
}
