/** From the two folders to the labelled files below them. */

import { realpath, stat } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import { ForensicsError } from '../../errors.ts';
import type { LabelledFile } from '../../validation/choose.ts';
import { type Input, toFileFailure } from '../analyze/inputs.ts';
import { walkInputs } from '../analyze/walk.ts';
import { usageError } from '../failure.ts';

export interface LabelledInput extends LabelledFile {
  /** As the user would call it. */
  readonly label: string;
  /** Why it cannot be opened, where that is known already: a folder that may not be read. */
  readonly failure: ForensicsError | null;
}

/** @throws {ForensicsError} `file_not_found`, `file_not_readable`, `usage`. */
export async function gatherLabelled(folders: {
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
  return [...(await inputsOf(folders.real, '--real')), ...(await inputsOf(folders.fake, '--fake'))];
}

type Option = '--real' | '--fake';

async function realFolder(dir: string, option: Option): Promise<string> {
  if (dir === '-') throw usageError(`${option} takes a folder; standard input is none.`);
  const found = await stat(dir).catch((error: unknown) => {
    throw named(option, toFileFailure(error));
  });
  if (!found.isDirectory()) throw usageError(`${option} takes a folder of pictures, not a file.`);
  return realpath(dir);
}

function isInside(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep);
}

async function inputsOf(dir: string, option: Option): Promise<readonly LabelledInput[]> {
  const inputs: Input[] = [];
  for await (const input of walkInputs([dir], { recursive: true, exceptDir: null })) {
    inputs.push(input);
  }
  const [first] = inputs;
  // Where the folder itself is empty or may not be read, its failure is all there is.
  if (first?.failure && first.label === dir) throw named(option, first.failure);
  return inputs.map(({ label, path, failure }) => {
    const steps = relative(dir, label).split(sep);
    const folder = steps.length > 1 ? steps[0]! : '';
    return { label, path: path ?? label, isFake: option === '--fake', folder, failure };
  });
}

/** Two folders were given, so a failure has to say which of them it means. */
function named(option: Option, failure: unknown): unknown {
  if (!(failure instanceof ForensicsError)) return failure;
  return new ForensicsError(failure.code, `${option}: ${failure.message}`, { cause: failure });
}
