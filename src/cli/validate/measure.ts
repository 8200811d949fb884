/** The labelled pictures of a validation: found in two folders and measured in parallel. */

import { realpath, stat } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import type { DecisionStrategy } from '../../contract/vocabulary.ts';
import { ForensicsError, toForensicsError, usageError } from '../../contract/errors.ts';
import type { Sandbox } from '../../examiner/sandbox.ts';
import { nameOf, pathOf, shownName } from '../../ports/files/byte-names.ts';
import type { Measured } from '../../service/validation/record.ts';
import { concernsWholeRun, inOrder, type Progress, type Stop } from '../analyze/batch.ts';
import { type Input, isInside, toFileFailure, walkInputs } from '../analyze/inputs.ts';
import { printFileFailure } from '../errors.ts';
import type { LocalOptions, SwitchOptions, TextOptions } from '../options.ts';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

export interface ValidateOptions
  extends LocalOptions,
    TextOptions<'real' | 'fake' | 'out'>,
    SwitchOptions<'force' | 'verbose'> {
  readonly strategy: DecisionStrategy | 'all';
  readonly seed: number;
  readonly model: string | null;
  readonly jobs: number;
}

export interface LabelledInput {
  readonly path: string;
  readonly isFake: boolean;
  /** Subfolder within its class; empty if the file is in none. */
  readonly folder: string;
  /** The path as the user would write it. */
  readonly label: string;
  /** Why the file cannot be opened, if that is already known, as for a folder without read permission. */
  readonly failure: ForensicsError | null;
}

export type Outcome = { readonly file: LabelledInput } & (
  | { readonly measured: Measured; readonly error: null }
  | { readonly measured: null; readonly error: ForensicsError }
);

/** Yields outcomes in the order of the files. Ends early when the run is stopped. */
export async function measureAll(
  files: readonly LabelledInput[],
  bench: { sandbox: Sandbox; stop: Stop; progress: Progress; options: ValidateOptions },
): Promise<readonly Outcome[]> {
  const { sandbox, stop, progress, options } = bench;
  const { model, seed, jobs } = options;
  const { signal } = stop;

  async function measure(file: LabelledInput): Promise<Outcome> {
    const { path, isFake, folder, failure } = file;
    try {
      if (failure) throw failure;
      const request = { source: { path }, options: { model, seed } };
      const measurement = await sandbox.measure(request, { signal });
      return { file, measured: { isFake, folder, measurement }, error: null };
    } catch (caught) {
      const error = toForensicsError(caught);
      if (concernsWholeRun(error)) stop.because(error);
      return { file, measured: null, error };
    }
  }

  const outcomes: Outcome[] = [];
  const measured = inOrder(files, { width: jobs, signal }, async (file) => {
    const outcome = await measure(file);
    progress.add(outcome);
    return outcome;
  });
  for await (const outcome of measured) {
    if (signal.aborted) break;
    outcomes.push(outcome);
    const { file, error } = outcome;
    if (error !== null) progress.around(() => printFileFailure(file.label, error, options));
  }
  return outcomes;
}

/** @throws {ForensicsError} `file_not_found`, `file_not_readable`, `usage`. */
export async function gatherLabelled(folders: { readonly real: string; readonly fake: string }) {
  const real = await realFolder(folders.real, '--real');
  const fake = await realFolder(folders.fake, '--fake');
  if (isInside(real, fake) || isInside(fake, real)) {
    throw usageError(
      '--real and --fake name the same folder, or one is inside the other; name two folders that have no pictures in common.',
    );
  }
  return [...(await inputsIn(folders.real, '--real')), ...(await inputsIn(folders.fake, '--fake'))];
}

type Option = '--real' | '--fake';

async function realFolder(dir: string, option: Option): Promise<string> {
  if (dir === '-') throw usageError(`${option} takes a folder, not standard input.`);
  const found = await stat(pathOf(dir)).catch((error: unknown) => {
    throw named(option, toFileFailure(error));
  });
  if (!found.isDirectory()) throw usageError(`${option} takes a folder of pictures, not a file.`);
  return nameOf(await realpath(pathOf(dir), { encoding: 'buffer' }));
}

async function inputsIn(dir: string, option: Option): Promise<readonly LabelledInput[]> {
  const inputs: Input[] = [];
  const walk = walkInputs([dir], { recursive: true, exceptDir: null, leavesFolder: true });
  for await (const input of walk) {
    if (input.skipped === undefined) inputs.push(input);
  }
  const [first] = inputs;
  // If the folder itself is empty or unreadable, no other failure needs to be reported.
  if (first?.failure && first.path === dir) throw named(option, first.failure);
  return inputs.map(({ label, path, failure }) => {
    const steps = relative(dir, path ?? label).split(sep);
    const folder = steps.length > 1 ? shownName(steps[0]!) : '';
    return { label, path: path ?? label, isFake: option === '--fake', folder, failure };
  });
}

/** Two folders were given, so a failure has to name the option that it is about. */
function named(option: Option, failure: unknown): unknown {
  if (!(failure instanceof ForensicsError)) return failure;
  return new ForensicsError(failure.code, `${option}: ${failure.message}`, { cause: failure });
}

export type Choice = Awaited<ReturnType<typeof chooseFiles<LabelledInput>>>;

/** Unreadable files are kept; opening them for measurement reports why they cannot be read. */
export async function chooseFiles<File extends Pick<LabelledInput, 'path' | 'isFake'>>(
  files: readonly File[],
) {
  const distinct: File[] = [];
  /** Files with identical bytes under both labels. One label must be wrong, so neither is measured. */
  const inBoth: File[] = [];
  /** Files with the same bytes as an earlier file of their class. */
  const repeated: File[] = [];
  for (const same of await groupSame(files)) {
    const [first, ...others] = same;
    if (others.some(({ isFake }) => isFake !== first!.isFake)) inBoth.push(...same);
    else {
      distinct.push(first!);
      repeated.push(...others);
    }
  }
  const classes = [false, true].map((isFake) => distinct.filter((file) => file.isFake === isFake));
  return { chosen: mixed(classes), inBoth, repeated };
}

/** Only files of equal size can be identical, so only those are read. */
async function groupSame<File extends Pick<LabelledInput, 'path'>>(files: readonly File[]) {
  const bySize = await groupBy(files, async ({ path }) => {
    const found = await stat(pathOf(path)).catch(() => null);
    return found?.isFile() ? String(found.size) : path;
  });
  const groups: File[][] = [];
  for (const alike of bySize) {
    if (alike.length === 1) groups.push(alike);
    else groups.push(...(await groupBy(alike, ({ path }) => contentKey(path))));
  }
  return groups;
}

async function groupBy<File>(files: readonly File[], keyOf: (file: File) => Promise<string>) {
  const keys = new Map<File, string>();
  for (const file of files) keys.set(file, await keyOf(file));
  return [...Map.groupBy(files, (file) => keys.get(file)).values()];
}

/** SHA-256 in lower-case hex; for an unreadable file, its path, because that is unique. */
async function contentKey(path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(pathOf(path)), hash);
    return hash.digest('hex');
  } catch {
    // The error is not lost: measuring opens the file again and reports it.
    return path;
  }
}

/** The classes alternate evenly, so that the elapsed time predicts the remaining time. */
function mixed<File>(classes: readonly (readonly File[])[]): readonly File[] {
  return classes
    .flatMap((files) => files.map((file, at) => ({ file, place: (at + 0.5) / files.length })))
    .toSorted((one, other) => one.place - other.place)
    .map(({ file }) => file);
}
