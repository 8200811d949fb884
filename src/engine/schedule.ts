/** Which parts of an examination run at the same time, and in which thread: this changes its time, not its numbers. */

import type { findCopies } from '../detectors/copy-move/copy-move.ts';
import { describeSurroundings } from '../detectors/copy-move/descriptors.ts';
import { workingPicture } from '../detectors/copy-move/features.ts';
import type { ChangeEvidence } from '../detectors/detector.ts';
import type { Picture } from '../image/picture.ts';
import type { LocateModel, TraceModel } from '../inference/networks.ts';
import { readChanges } from './localisation.ts';

export interface Models {
  readonly trace: TraceModel;
  readonly locator: LocateModel;
  /** Whether the networks may run at the same time. Without a spare core, both would then take longer. */
  readonly hasSpareCore?: boolean;
  /** Searches for copies in the localisation network's thread after that network; only used with a spare core. */
  readonly findCopiesInThread?: (
    ...given: Parameters<typeof findCopies>
  ) => Promise<ReturnType<typeof findCopies>>;
}

/** Models of which the trace network may still be opening while the localisation network runs. */
export type OpeningModels = Omit<Models, 'trace'> & {
  readonly trace: TraceModel | Promise<TraceModel>;
};

/**
 * @param readOnMainThread - does everything else, on the main thread; it receives what the thread of the localisation
 *   network determines in the meantime. `copies` is null if the main thread searches for copies.
 */
export async function runOnThreads<Main>(
  picture: Picture,
  models: Omit<Models, 'trace'>,
  readOnMainThread: (inThread: {
    readonly changes: Promise<ChangeEvidence>;
    readonly copies: Promise<ReturnType<typeof findCopies>> | null;
  }) => Promise<Main>,
): Promise<Main> {
  const { locator, hasSpareCore = false } = models;
  const changes = readChanges(picture, locator);
  if (!hasSpareCore) await changes;
  const findCopiesInThread = hasSpareCore ? models.findCopiesInThread : undefined;
  const copies = findCopiesInThread?.(...copySearch(picture)) ?? null;
  const main = readOnMainThread({ changes, copies });
  // Waits for all of them, even if one fails, because a network that still runs must not overlap with the next picture.
  await Promise.allSettled([changes, copies, main]);
  return main;
}

/**
 * Above about this many pixels, the trace network reads only parts of a picture, the localisation network all of it.
 * Its thread then has so much more to do that the main thread takes over the first step of the search for copies.
 */
const largePixels = 2_000_000;

function copySearch(picture: Picture): Parameters<typeof findCopies> {
  const { facts } = picture;
  const working = workingPicture(picture);
  const isLarge = facts.width * facts.height > largePixels;
  return isLarge ? [working, facts, describeSurroundings(working)] : [working, facts];
}
