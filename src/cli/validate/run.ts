/** A run of `forensics validate`: gather, choose, measure side by side, store, print. It opens no network and no database. */

import { realpath, stat } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import { modelsFolder } from '../../ports/data-folder/data-folder.ts';
import { newId } from '../../ports/db/database.ts';
import { ForensicsError } from '../../errors.ts';
import { nameOf, pathOf, shownName } from '../../ports/files/byte-names.ts';
import { checkFree, writeWholeFile } from '../../ports/files/output-file.ts';
import { createRegistry } from '../../inference/registry.ts';
import { createSandbox } from '../../examiner/sandbox.ts';
import { type FileCounts, makeValidation } from '../../service/validation/record.ts';
import { type Choice, chooseFiles } from '../../service/validation/sampling.ts';
import { openValidations } from '../../service/validation/saved-validations.ts';
import type { Validation } from '../../service/validation/validation.ts';
import { listenForStop, startProgress, type Stop } from '../analyze/batch.ts';
import { type Input, toFileFailure, walkInputs } from '../analyze/inputs.ts';
import { usageError } from '../errors.ts';
import { log } from '../output/terminal.ts';
import { settingsFor } from '../connection/local.ts';
import {
  type Bench,
  type LabelledInput,
  measureAll,
  type Outcome,
  type ValidateOptions,
} from './measure.ts';
import { toDocument, printValidation } from './print.ts';

/** @throws {ForensicsError} `usage`, `file_*` for a folder, `model_*`, `image_unreadable` when a class has no usable picture. */
export async function runValidate(options: ValidateOptions): Promise<void> {
  const folders = checkFolders(options);
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
  const progress = await startProgress(choice.chosen.length, 'en');
  const sandbox = createSandbox({
    modelsDir,
    poolSize: Math.min(options.jobs, choice.chosen.length),
  });
  try {
    const bench: Bench = { sandbox, stop, progress, options };
    const outcomes = await measureAll(bench, choice.chosen);
    progress.end();
    logIfStopped(stop, outcomes.length, choice.chosen.length);
    const validation = toValidation(options, found, choice, outcomes);
    openValidations(settings).save(validation);
    log(`Stored; cite it with: forensics analyze ... --validation ${validation.id}`);
    if (options.out !== undefined) await writeDocument(options.out, validation, options);
    if (!options.jsonl) printValidation(validation, options);
  } finally {
    progress.end();
    await sandbox.close();
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

function logIfStopped(stop: Stop, done: number, all: number): void {
  if (!stop.signal.aborted) return;
  log(`Stopped after ${done} of ${all} pictures; nothing was stored.`);
  stop.throwIfStopped();
}

function toValidation(
  { seed, sample, hashes: withList }: ValidateOptions,
  found: readonly LabelledInput[],
  choice: Choice<LabelledInput>,
  outcomes: readonly Outcome[],
): Validation {
  const countFiles = (isFake: boolean): FileCounts => {
    const countClass = (files: readonly LabelledInput[]) =>
      files.filter((file) => file.isFake === isFake).length;
    const failed = outcomes.filter(({ error }) => error !== null).map(({ file }) => file);
    return {
      found: countClass(found),
      repeated: countClass(choice.repeated),
      leftOutBySample: countClass(choice.leftOut),
      failed: countClass(failed),
    };
  };
  const createdAt = new Date();
  return makeValidation({
    id: newId(createdAt),
    createdAt,
    seed,
    sample: sample ?? null,
    files: { real: countFiles(false), fake: countFiles(true), inBoth: choice.inBoth.length },
    measured: outcomes.flatMap(({ measured }) => measured ?? []),
    withList,
  });
}

async function writeDocument(
  file: string,
  validation: Validation,
  options: ValidateOptions,
): Promise<void> {
  const text = `${JSON.stringify(toDocument(validation, options), null, 2)}\n`;
  await writeWholeFile(file, Buffer.from(text), options);
}

function checkFolders({ real, fake, force, out }: ValidateOptions) {
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

/** @throws {ForensicsError} `file_not_found`, `file_not_readable`, `usage`. */
async function gatherLabelled(folders: {
  readonly real: string;
  readonly fake: string;
}): Promise<readonly LabelledInput[]> {
  const real = await realFolder(folders.real, '--real');
  const fake = await realFolder(folders.fake, '--fake');
  if (isInside(real, fake) || isInside(fake, real)) {
    throw usageError(
      '--real and --fake are one folder, or one lies inside the other; name two that share no picture.',
    );
  }
  return [...(await inputsIn(folders.real, '--real')), ...(await inputsIn(folders.fake, '--fake'))];
}

type Option = '--real' | '--fake';

async function realFolder(dir: string, option: Option): Promise<string> {
  if (dir === '-') throw usageError(`${option} takes a folder; standard input is none.`);
  const found = await stat(pathOf(dir)).catch((error: unknown) => {
    throw named(option, toFileFailure(error));
  });
  if (!found.isDirectory()) throw usageError(`${option} takes a folder of pictures, not a file.`);
  return nameOf(await realpath(pathOf(dir), { encoding: 'buffer' }));
}

function isInside(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep);
}

async function inputsIn(dir: string, option: Option): Promise<readonly LabelledInput[]> {
  const inputs: Input[] = [];
  for await (const input of walkInputs([dir], { recursive: true, exceptDir: null })) {
    inputs.push(input);
  }
  const [first] = inputs;
  // Where the folder itself is empty or may not be read, its failure is all there is.
  if (first?.failure && first.path === dir) throw named(option, first.failure);
  return inputs.map(({ label, path, failure }) => {
    const steps = relative(dir, path ?? label).split(sep);
    const folder = steps.length > 1 ? shownName(steps[0]!) : '';
    return { label, path: path ?? label, isFake: option === '--fake', folder, failure };
  });
}

/** Two folders were given, so a failure has to name the one it is about. */
function named(option: Option, failure: unknown): unknown {
  if (!(failure instanceof ForensicsError)) return failure;
  return new ForensicsError(failure.code, `${option}: ${failure.message}`, { cause: failure });
}
