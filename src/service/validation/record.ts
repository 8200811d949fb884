/** Assembles a validation record from the chosen files and their measurements. */

import { createHash } from 'node:crypto';
import type { DecisionStrategy } from '../../contract/vocabulary.ts';
import {
  identifyModel,
  isSameModel,
  type ModelIdentity,
  modelName,
} from '../../detectors/result.ts';
import { ForensicsError, conflict } from '../../contract/errors.ts';
import type { MeasuredCondition, MeasuredRates, ModelManifest } from '../../contract/manifest.ts';
import type { OwnValidation } from '../../present/report-item.ts';
import { conditions as allConditions } from '../../examiner/requests.ts';
import type { Measurement } from '../../examiner/sandbox.ts';
import { drawnBy, computeFigures, countFolders, type Outcome, minFolders } from './figures.ts';
import type { ClassPictures, ConditionFigures, Validation } from './validation.ts';
import { createNumberWriter } from '../../present/wording/catalogue.ts';

export interface Measured extends Outcome {
  readonly measurement: Measurement;
}

/** How many files of a class were found, and why some were not measured. */
export type FileCounts = Pick<ClassPictures, 'found' | 'repeated' | 'failed'>;

interface RecordParts {
  readonly id: string;
  readonly createdAt: Date;
  readonly seed: number;
  readonly files: {
    readonly real: FileCounts;
    readonly fake: FileCounts;
    readonly inBoth: number;
  };
  readonly measured: readonly Measured[];
}

/** @throws {ForensicsError} `image_unreadable` for a class without a picture, `conflict` if the model has changed. */
export function makeValidation(parts: RecordParts): Validation {
  const { id, createdAt, seed, files, measured } = parts;
  const ofClass = (isFake: boolean) => measured.filter((one) => one.isFake === isFake);
  const [real, fake] = [ofClass(false), ofClass(true)];
  if (real.length === 0) throw nothingMeasured('photographs (--real)');
  if (fake.length === 0) throw nothingMeasured('generated pictures (--fake)');
  const { model, environment } = measured[0]!.measurement;
  // Error rates measured on two models would describe neither of them.
  if (!measured.every(({ measurement }) => isSameModel(measurement.model, model))) {
    throw conflict('The model was replaced during the measurement; run the validation again.');
  }
  return {
    formatVersion: 1,
    id,
    createdAt: createdAt.toISOString(),
    model: { id: model.id, version: model.version, files: { ...model.files } },
    environment: { ...environment },
    seed,
    sample: null,
    pictures: {
      real: classPictures(files.real, real),
      fake: classPictures(files.fake, fake),
      inBoth: files.inBoth,
    },
    conditions: [...computeFigures(measured, seed)],
    shortcut: null,
  };
}

function classPictures(files: FileCounts, ofClass: readonly Measured[]): ClassPictures {
  const list = ofClass.map(({ measurement }) => measurement.sha256).toSorted();
  const digest = createHash('sha256').update(list.map((each) => `${each}\n`).join(''));
  return {
    ...files,
    leftOutBySample: 0,
    measured: ofClass.length,
    declaring: ofClass.filter(({ measurement }) => measurement.declaresGeneration).length,
    folders: countFolders(ofClass),
    drawnBy: drawnBy(ofClass),
    digest: digest.digest('hex'),
    list: null,
  };
}

function nothingMeasured(what: string): ForensicsError {
  return new ForensicsError(
    'image_unreadable',
    `None of the ${what} could be examined, so there is nothing to compare; see the reasons listed and choose other pictures.`,
  );
}

/** @param manifest - of the report's model. @throws {ForensicsError} `conflict` if the validation measured another. */
export function citedAs(
  validation: Validation,
  manifest: Pick<ModelManifest, 'id' | 'version' | 'files'>,
): OwnValidation {
  const model = identifyModel(manifest);
  if (!isSameModel(validation.model, model)) throw otherModel(validation, model);
  return {
    id: validation.id,
    createdAt: new Date(validation.createdAt),
    model,
    conditions: validation.conditions.map((one) => toMeasured(one, validation.createdAt)),
  };
}

function toMeasured(
  { condition, auc, ratios, strategies }: ConditionFigures,
  recorded: string,
): MeasuredCondition {
  const { real, fake } = strategies.default;
  return {
    condition,
    real: real.wrong.of,
    fake: fake.wrong.of,
    auc: auc.value,
    aucLow: auc.low,
    aucHigh: auc.high,
    ...(ratios && { ratios: { ...ratios, recorded: recorded.slice(0, 10), prior: 0.5 } }),
    strategies: {
      pedantic: toRates(strategies.pedantic),
      default: toRates(strategies.default),
      relaxed: toRates(strategies.relaxed),
    },
  };
}

function toRates({ real, fake }: ConditionFigures['strategies'][DecisionStrategy]): MeasuredRates {
  return {
    decided: (real.decided.count + fake.decided.count) / (real.decided.of + fake.decided.of),
    realCalledFake: real.wrong.share,
    fakeCalledReal: fake.wrong.share,
    realCalledReal: real.verdicts.real / real.wrong.of,
    fakeCalledFake: fake.verdicts.fake / fake.wrong.of,
  };
}

function otherModel(validation: Validation, model: ModelIdentity): ForensicsError {
  const [measured, used] = [modelName(validation.model), modelName(model)];
  const what =
    measured === used
      ? `a different ${measured}, with other weights or limits`
      : `${measured}, not ${used}`;
  return conflict(
    `Validation ${validation.id} measured ${what}; validate the current model with "forensics validate", or cite no validation.`,
  );
}

const { count } = createNumberWriter('en');

/** With fewer pictures in a class, the interval is too wide to be conclusive. */
const minPictures = 30;

/** If more pictures than this failed, the measured ones may not be representative. */
const maxFailed = 0.05;

const classes = [
  { name: 'real', what: 'photographs' },
  { name: 'fake', what: 'generated pictures' },
] as const;

/** Reasons to trust the figures less. */
export function writeWarnings({ pictures, conditions }: Validation): readonly string[] {
  const { real, inBoth } = pictures;
  const ofClasses = (write: (of: ClassPictures, what: string) => string | false) =>
    classes.map(({ name, what }) => write(pictures[name], what));
  const unsorted = classes.filter(({ name }) => pictures[name].drawnBy === 'picture');
  const which = unsorted.map(({ what }) => what).join(' and ');
  return [
    ...ofClasses(
      ({ measured }, what) =>
        measured < minPictures &&
        `Measured ${what}: ${count(measured)}. With fewer than ${minPictures}, the intervals are too wide to be conclusive.`,
    ),
    ...allConditions.map((name) => leftOut(name, { pictures, conditions })),
    ...conditions.map(
      ({ condition, auc }) =>
        auc.low <= 0.5 &&
        `${condition}: the confidence interval for the AUC includes chance, so these pictures do not show that the model can tell the two classes apart.`,
    ),
    real.declaring > 0 &&
      `Photographs whose metadata declares them generated: ${count(real.declaring)}. Check that they are in the right folder.`,
    inBoth > 0 &&
      `${count(inBoth)} files are in both folders with the same content; they were not measured.`,
    ...ofClasses(
      ({ failed, measured }, what) =>
        failed > maxFailed * (failed + measured) &&
        `${count(failed)} of the ${what} could not be examined. The others may not be representative.`,
    ),
    unsorted.length > 0 &&
      `The ${which} are in fewer than ${minFolders} subfolders, so each picture counts as independent. If many come from the same camera, generator or event, the true intervals are wider: sort them into one subfolder each.`,
  ].filter((warning) => warning !== false);
}

/** How many pictures were too small for a condition; false if none. */
function leftOut(
  name: ConditionFigures['condition'],
  { pictures, conditions }: Pick<Validation, 'pictures' | 'conditions'>,
): string | false {
  const figures = conditions.find(({ condition }) => condition === name);
  if (!figures) return `${name}: not measured, because one class has no picture large enough.`;
  const { real, fake } = figures.strategies.default;
  const all = pictures.real.measured + pictures.fake.measured;
  const missing = all - real.wrong.of - fake.wrong.of;
  return missing > 0 && `${name}: left out ${count(missing)} that would be too small to examine.`;
}
