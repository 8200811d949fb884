/** `forensics backup verify`. */

import { checkBackup } from '../../app/backup.ts';
import { isDamaged } from '../../backup/verify.ts';
import { listenForStop } from '../analyze/stop.ts';
import { layCard, listRows } from '../card.ts';
import { printable } from '../printable.ts';
import { printJson } from '../talk.ts';
import { columnsOf } from '../terminal.ts';
import { factsOf } from './facts.ts';
import { showSteps } from './steps.ts';

/** @throws {ForensicsError} `backup_damaged` once it is printed what is wrong; those of `checkBackup`. */
export async function verify(file: string, { json }: { readonly json: boolean }): Promise<void> {
  const verified = await watched((onProgress) => checkBackup(file, onProgress));
  const { problems } = verified;
  const isWhole = problems.length === 0;
  if (json) printJson({ whole: isWhole, ...verified });
  else {
    const word = isWhole ? 'WHOLE' : 'DAMAGED';
    const rows = [...listRows('Wrong', problems.map(printable)), ...factsOf(verified)];
    const card = layCard(`${printable(file)}: ${word}`, rows, columnsOf(process.stdout));
    process.stdout.write(card);
  }
  if (!isWhole) throw isDamaged(problems);
}

/** An act that reads a backup, with its progress shown; Ctrl-C ends it in order. */
export async function watched<T>(
  act: (onProgress: (done: number, all: number) => void) => Promise<T>,
): Promise<T> {
  const stop = listenForStop();
  const steps = await showSteps({ reading: 'Reading the backup' });
  try {
    return await act((done, all) => {
      stop.throwIfStopped();
      steps.at('reading', done / all);
    });
  } finally {
    steps.end();
    stop.release();
  }
}
