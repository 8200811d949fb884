/**
 * Decides which parts of an examination run concurrently, and in which thread. It affects only how long the examination
 * takes, not its numbers.
 */

import { copyMove, type findCopies } from '../detectors/copy-move/copy-move.ts';
import { workingPicture } from '../detectors/copy-move/features.ts';
import type { ChangeEvidence, Detector } from '../detectors/detector.ts';
import { localisationNetwork } from '../detectors/localisation-network.ts';
import type { Picture } from '../image/picture.ts';
import type { LocateModel, TraceModel } from '../inference/networks.ts';
import { readChanges } from './localisation.ts';

/** The networks used in an examination. */
export interface Models {
  readonly trace: TraceModel;
  readonly locator: LocateModel;
  /** Whether they may run at the same time. Without a spare core, both would take longer. */
  readonly hasSpareCore?: boolean;
  /**
   * Searches for copies in the localisation network's thread, after it has finished; used only while there is a spare core.
   */
  readonly findCopiesInThread?: (
    ...given: Parameters<typeof findCopies>
  ) => Promise<ReturnType<typeof findCopies>>;
}

/** Models whose trace network may still be opening while the localisation network runs. */
export type OpeningModels = Omit<Models, 'trace'> & {
  readonly trace: TraceModel | Promise<TraceModel>;
};

interface Scheduled<Main> {
  readonly changes: ChangeEvidence;
  /** Null when the copy search was left to the main thread. */
  readonly copies: ReturnType<typeof findCopies> | null;
  readonly main: Main;
}

/** @param readOnMainThread - runs everything else on the main thread; `runsInThread` tells which methods to leave out. */
export async function runOnThreads<Main>(
  picture: Picture,
  models: Omit<Models, 'trace'>,
  readOnMainThread: (runsInThread: (detector: Detector) => boolean) => Promise<Main>,
): Promise<Scheduled<Main>> {
  const { locator, hasSpareCore = false } = models;
  const locating = readChanges(picture, locator);
  if (!hasSpareCore) await locating;
  const findCopiesInThread = hasSpareCore ? models.findCopiesInThread : undefined;
  const copying = findCopiesInThread?.(workingPicture(picture), picture.facts) ?? null;
  const runsInThread = ({ method }: Detector) =>
    method === localisationNetwork.method || (copying !== null && method === copyMove.method);
  const [changes, copies, main] = await allSettledThenAll([
    locating,
    copying,
    readOnMainThread(runsInThread),
  ]);
  return { changes, copies, main };
}

/** Waits for all promises even if one fails: a network that is still running must not overlap with the next picture. */
async function allSettledThenAll<All extends readonly unknown[]>(
  all: readonly [...All],
): Promise<{ -readonly [At in keyof All]: Awaited<All[At]> }> {
  await Promise.allSettled(all);
  return Promise.all(all);
}
