/** All that a run tells: records on standard output, a report for CI in its file, failures and how far it is on stderr. */

import type { ForensicsError } from '../../errors.ts';
import { tellFileFailure } from '../failure.ts';
import { say } from '../local-core.ts';
import { chooseFace, isForPeople } from './faces/choose.ts';
import { openJunitFile } from './faces/junit.ts';
import type { WantedPreview } from './examiner.ts';
import type { Input } from './inputs.ts';
import type { AnalyzeOptions } from './options.ts';
import { writeOut } from './output.ts';
import { openPreviews } from './preview.ts';
import { canShowProgress, startProgress } from './progress.ts';
import type { AnalysisRecord } from './record.ts';
import { summaryOf } from './summary.ts';
import { emptyTally, type Tally, withRecord } from './tally.ts';
import { walkInputs } from './walk.ts';

export interface Teller {
  readonly preview: WantedPreview | null;
  /** As soon as it is known. */
  failed(input: Input, failure: ForensicsError): void;
  /** As soon as it is done. */
  examined(record: AnalysisRecord): void;
  /** In the order of the input. */
  tell(input: Input, record: AnalysisRecord): Promise<void>;
  /** Ends every document, and sums up. */
  end(): Promise<Tally>;
  /** Sums up what was told; the documents stay as they are. */
  stopped(): void;
  close(): Promise<void>;
}

/** @throws {ForensicsError} `conflict`, `output_not_writable`, `no_space_left`; so do its verbs. */
export async function openTeller(
  args: readonly string[],
  options: AnalyzeOptions,
): Promise<Teller> {
  const { junit: junitPath, quiet, watch, out } = options;
  const junit = junitPath === undefined ? null : await openJunitFile(junitPath, options);
  const isShown = !quiet && canShowProgress();
  const progress = await startProgress(isShown && !watch ? count(args, options) : null, isShown);
  const face = chooseFace(options);
  const previews = openPreviews(options);
  const began = performance.now();
  const elapsedMs = () => performance.now() - began;
  let tally = emptyTally;
  let isBegun = false;
  let held: (() => void) | null = null;

  async function write(text: string): Promise<void> {
    let written = Promise.resolve();
    progress.around(() => {
      written = writeOut(isBegun ? text : face.head + text);
    });
    isBegun = true;
    await written;
  }

  function sumUp(before: string): void {
    if (quiet || (tally.total < 2 && !watch)) return;
    say(`${before}${summaryOf(tally, elapsedMs())}`);
    const isWritten = out !== null && tally.total > tally.counts.failed;
    if (isWritten) say(`Results in ${out}, a folder for each picture`);
  }

  return {
    preview: previews,
    failed: (input, failure) => {
      const line = () => tellFileFailure(input.label, failure, options);
      if (isToldByTable(options)) held = line;
      else progress.around(line);
    },
    examined: (record) => progress.add(record),
    tell: async (input, record) => {
      tally = withRecord(tally, record);
      await write((previews?.textOf(input) ?? '') + face.add(record));
      await junit?.add(record);
    },
    end: async () => {
      progress.end();
      // It was the only one: there is no table.
      if (tally.total === 1) held?.();
      await write(face.end(tally));
      await junit?.finish(tally, elapsedMs());
      sumUp('');
      return tally;
    },
    stopped: () => {
      progress.end();
      sumUp('Stopped. ');
    },
    close: async () => {
      progress.end();
      await junit?.close();
    },
  };
}

/** On a terminal the table's remarks say why a picture failed; the same lines above it would only push it away. */
function isToldByTable(options: AnalyzeOptions): boolean {
  return isForPeople(options) && !options.watch && process.stdout.isTTY && !options.verbose;
}

/** A walk of its own beside the run: how much there is to do is known soon, and nothing is held for it. */
async function count(args: readonly string[], { recursive, out }: AnalyzeOptions): Promise<number> {
  const walk = walkInputs(args, { recursive, exceptDir: out });
  let total = 0;
  // oxlint-disable-next-line no-await-in-loop -- one after the other, so that nothing is held
  while (!(await walk.next()).done) total++;
  return total;
}
