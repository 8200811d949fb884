/** All that a run tells: records on standard output, failures and how far it is on stderr. */

import { once } from 'node:events';
import type { ForensicsError } from '../../errors.ts';
import { tellFileFailure } from '../errors.ts';
import { say } from '../output/print.ts';
import { chooseFace, isForPeople } from './formats/formats.ts';
import type { Input } from './inputs.ts';
import type { AnalyzeOptions } from './options.ts';
import { type Progress, startProgress } from './progress.ts';
import type { AnalysisRecord } from './record.ts';
import { emptyTally, summaryOf, type Tally, withRecord } from './summary.ts';
import { walkInputs } from './walk.ts';

export interface Teller {
  /** As soon as it is known. */
  failed(input: Input, failure: ForensicsError): void;
  /** As soon as it is done. */
  examined(record: AnalysisRecord): void;
  /** In the order of the input. */
  tell(record: AnalysisRecord): Promise<void>;
  /** Ends every document, and sums up. */
  end(): Promise<Tally>;
  /** Sums up what was told. A table tells so far as it goes; documents stay as they are. */
  stopped(): Promise<void>;
  close(): void;
}

/** @throws {ForensicsError} `conflict`, `output_not_writable`, `no_space_left`; so do its verbs. */
export async function openTeller(
  args: readonly string[],
  options: AnalyzeOptions,
): Promise<Teller> {
  const progress = await startProgress((signal) => count(args, options, signal));
  const face = chooseFace(options);
  const write = createPen(face.head, progress);
  const began = performance.now();
  const elapsedMs = () => performance.now() - began;
  let tally = emptyTally;
  let held: (() => void) | null = null;
  return {
    failed: (input, failure) => {
      const line = () => tellFileFailure(input.label, failure, options);
      if (isToldByTable(options)) held = line;
      else progress.around(line);
    },
    examined: (record) => progress.add(record),
    tell: async (record) => {
      tally = withRecord(tally, record);
      await write(face.add(record));
    },
    end: async () => {
      progress.end();
      // It was the only one: there is no table.
      if (tally.total === 1) held?.();
      await write(face.end(tally));
      sumUp(tally, options, summaryOf(tally, elapsedMs()));
      return tally;
    },
    stopped: async () => {
      progress.end();
      if (isForPeople(options) && tally.total > 0) await write(face.end(tally));
      sumUp(tally, options, `Stopped. ${summaryOf(tally, elapsedMs())}`);
    },
    close: () => progress.end(),
  };
}

/** Writes pieces of a document above the progress; its head goes with the first. */
function createPen(head: string, progress: Progress): (text: string) => Promise<void> {
  let before = head;
  return async (text) => {
    let written = Promise.resolve();
    progress.around(() => {
      written = writeOut(before + text);
    });
    before = '';
    await written;
  };
}

/** One picture has had its card or its line: there is nothing to sum up. */
function sumUp(tally: Tally, { out }: AnalyzeOptions, text: string): void {
  if (tally.total < 2) return;
  say(text);
  const isWritten = out !== null && tally.total > tally.counts.failed;
  if (isWritten) say(`Results in ${out}, a folder for each picture`);
}

/** On a terminal a remark in its row says why a picture failed; the same lines above would only push the rows away. */
function isToldByTable(options: AnalyzeOptions): boolean {
  return isForPeople(options) && process.stdout.isTTY && !options.verbose;
}

/** A walk of its own beside the run: how much there is to do is known soon, and nothing is held for it. */
async function count(
  args: readonly string[],
  { recursive, out }: AnalyzeOptions,
  signal: AbortSignal,
): Promise<number> {
  const walk = walkInputs(args, { recursive, exceptDir: out });
  let total = 0;
  // oxlint-disable-next-line no-await-in-loop -- one after the other, so that nothing is held
  while (!signal.aborted && !(await walk.next()).done) total++;
  return total;
}

// Standard output as a run writes it: no faster than it is read, so that a slow reader never makes a queue here.

/** @throws {NodeJS.ErrnoException} what the system says: a disk that is full. */
export async function writeOut(text: string): Promise<void> {
  if (text !== '' && !process.stdout.write(text)) await once(process.stdout, 'drain');
}
