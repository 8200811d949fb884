/** A run of `forensics validate`: gather, choose, measure side by side, store, print. It opens no network and no database. */

import { modelsFolder } from '../../app/models-folder.ts';
import { openValidations } from '../../app/validations.ts';
import { newId } from '../../db/ids.ts';
import { createRegistry } from '../../inference/registry.ts';
import { createLab } from '../../lab/create-lab.ts';
import { type Choice, chooseFiles } from '../../validation/choose.ts';
import { type FileCounts, makeValidation } from '../../validation/record.ts';
import type { Validation } from '../../validation/validation.ts';
import { startProgress } from '../analyze/progress.ts';
import { listenForStop, type Stop } from '../analyze/stop.ts';
import { usageError } from '../failure.ts';
import { settingsFor } from '../local-core.ts';
import { say } from '../talk.ts';
import { checkFree, writeWholeFile } from '../write-file.ts';
import { gatherLabelled, type LabelledInput } from './gather.ts';
import { type Bench, measureAll, type Outcome } from './measure.ts';
import type { ValidateOptions } from './options.ts';
import { documentOf, printValidation } from './print.ts';

/** @throws {ForensicsError} `usage`, `file_*` for a folder, `model_*`, `image_unreadable` when a class has no usable picture. */
export async function runValidate(options: ValidateOptions): Promise<void> {
  const folders = foldersOf(options);
  const settings = settingsFor(options);
  const modelsDir = modelsFolder(settings);
  const registry = createRegistry({ extra: modelsDir });
  await registry.open(options.model);
  await registry.openLocator();
  if (options.out !== undefined) await checkFree(options.out, options);
  const found = await gatherLabelled(folders);
  const choice = await chooseFiles(found, { sample: options.sample ?? null, seed: options.seed });
  checkChoice(choice);

  const stop = listenForStop();
  const progress = await startProgress(choice.chosen.length);
  const lab = createLab({ modelsDir, poolSize: Math.min(options.jobs, choice.chosen.length) });
  try {
    const bench: Bench = { lab, stop, progress, options };
    const outcomes = await measureAll(bench, choice.chosen);
    progress.end();
    tellIfStopped(stop, outcomes.length, choice.chosen.length);
    const validation = recordOf(options, found, choice, outcomes);
    openValidations(settings).save(validation);
    say(`Stored; cite it with: forensics analyze ... --validation ${validation.id}`);
    if (options.out !== undefined) await writeDocument(options.out, validation, options);
    if (!options.jsonl) printValidation(validation, options);
  } finally {
    progress.end();
    await lab.close();
    stop.release();
  }
}

/** A class is never empty for another reason: a folder without pictures was refused before. */
function checkChoice({ chosen }: Choice<LabelledInput>): void {
  for (const isFake of [false, true]) {
    if (chosen.some((file) => file.isFake === isFake)) continue;
    const [one, other] = isFake ? ['--fake', '--real'] : ['--real', '--fake'];
    throw usageError(`Every picture of ${one} lies in ${other} too; name two that share none.`);
  }
}

function tellIfStopped(stop: Stop, done: number, all: number): void {
  if (!stop.signal.aborted) return;
  say(`Stopped after ${done} of ${all} pictures; nothing was stored.`);
  stop.throwIfStopped();
}

function recordOf(
  { seed, sample, hashes: withList }: ValidateOptions,
  found: readonly LabelledInput[],
  choice: Choice<LabelledInput>,
  outcomes: readonly Outcome[],
): Validation {
  const countsOf = (isFake: boolean): FileCounts => {
    const ofClass = (files: readonly LabelledInput[]) =>
      files.filter((file) => file.isFake === isFake).length;
    const failed = outcomes.filter(({ error }) => error !== null).map(({ file }) => file);
    return {
      found: ofClass(found),
      repeated: ofClass(choice.repeated),
      leftOutBySample: ofClass(choice.leftOut),
      failed: ofClass(failed),
    };
  };
  const createdAt = new Date();
  return makeValidation({
    id: newId(createdAt),
    createdAt,
    seed,
    sample: sample ?? null,
    files: { real: countsOf(false), fake: countsOf(true), inBoth: choice.inBoth.length },
    measured: outcomes.flatMap(({ measured }) => measured ?? []),
    withList,
  });
}

async function writeDocument(
  file: string,
  validation: Validation,
  options: ValidateOptions,
): Promise<void> {
  const text = `${JSON.stringify(documentOf(validation, options), null, 2)}\n`;
  await writeWholeFile(file, Buffer.from(text), options);
}

function foldersOf({ real, fake, force, out }: ValidateOptions) {
  if (real === undefined || fake === undefined) {
    const missing = real === undefined ? '--real' : '--fake';
    throw usageError(
      `${missing} is missing; name a folder of photographs and one of generated pictures.`,
    );
  }
  if (force && out === undefined)
    throw usageError('--force replaces the file of --out FILE; add it.');
  return { real, fake };
}
