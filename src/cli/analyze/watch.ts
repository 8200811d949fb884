/**
 * New pictures of folders, as they are complete. The folders are looked through again and again, because many network
 * folders tell of no change; where the system does tell, it only makes the next look come sooner.
 */

import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { ForensicsError, toForensicsError } from '../../errors.ts';
import { usageError } from '../errors.ts';
import { attempt, type Input } from './inputs.ts';
import { picturesBelow, type WalkOptions } from './walk.ts';

export interface WatchOptions extends WalkOptions {
  /** Leaves out what is there at the beginning. */
  readonly onlyNew: boolean;
  readonly signal: AbortSignal;
  /** Between two looks where nothing happens. */
  readonly pollMs?: number;
  /** How long size and time of a file have to stay the same before it counts as complete. */
  readonly settleMs?: number;
  /** How long a file that is gone is remembered: one that comes back with its folder is no new one. */
  readonly keptMs?: number;
}

/** At most a tenth of the time is spent looking, also in a folder of a hundred thousand files. */
const restPerLook = 10;
const shortestRestMs = 100;
const longestRestMs = 60_000;
const dayMs = 86_400_000;

/** @throws {ForensicsError} `usage`, `file_not_found`, `file_not_readable`. */
export async function checkFolders(dirs: readonly string[]): Promise<void> {
  for (const dir of dirs) {
    // oxlint-disable-next-line no-await-in-loop -- the first that is none is told of
    const found = await attempt(() => stat(dir));
    if (!found.isDirectory()) throw usageError(`--watch takes folders; ${dir} is none.`);
  }
}

/**
 * Until `signal`. Of a file, each path with the same size and time of change comes once. A folder that cannot be read
 * is told of once, and again after it could be.
 */
export async function* watchFolders(
  dirs: readonly string[],
  options: WatchOptions,
): AsyncGenerator<Input> {
  const { signal, onlyNew, pollMs = 2000, settleMs = 1000, keptMs = dayMs } = options;
  const sights = createSights({ settleMs, keptMs });
  const bell = createBell(dirs, signal);
  let failing = new Set<string>();
  try {
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const failingNow = new Set<string>();
      const began = performance.now();
      let handedOutMs = 0;
      for await (const input of allBelow(dirs, options)) {
        if (input.failure) failingNow.add(input.label);
        const isWanted = input.failure
          ? !failing.has(input.label)
          : await sights.isComplete(input.label, { isOld: isFirst && onlyNew });
        if (!isWanted) continue;
        const handed = performance.now();
        yield input;
        handedOutMs += performance.now() - handed;
      }
      failing = failingNow;
      sights.forget(began);
      const lookMs = performance.now() - began - handedOutMs;
      const restMs = Math.min(longestRestMs, Math.max(shortestRestMs, lookMs * restPerLook));
      await bell.rest(restMs);
      await bell.wait(sights.areAllSettled() ? pollMs : settleMs);
    }
  } finally {
    bell.close();
  }
}

async function* allBelow(
  dirs: readonly string[],
  { recursive: isDeep, exceptDir, signal }: WatchOptions,
): AsyncGenerator<Input> {
  const seen = new Set<string>();
  for (const dir of dirs) {
    try {
      for await (const input of picturesBelow(dir, { isDeep, exceptDir, seen })) {
        if (signal.aborted) return;
        yield input;
      }
    } catch (error) {
      if (!(error instanceof ForensicsError)) throw error;
      yield { label: dir, path: dir, failure: toForensicsError(error) };
    }
  }
}

/** A file as it was when it was last looked at. */
interface Sight {
  /** Size and time of change. */
  readonly stamp: string;
  /** Since when it has been so. */
  readonly since: number;
  readonly seenAt: number;
}

/** What is remembered of files: those that were handed out, so that one comes again only when it changed, and those that still grow. */
function createSights({ settleMs, keptMs }: Required<Pick<WatchOptions, 'settleMs' | 'keptMs'>>) {
  const taken = new Map<string, Sight>();
  const unsettled = new Map<string, Sight>();

  async function isComplete(path: string, { isOld }: { readonly isOld: boolean }) {
    const found = await stat(path).catch(() => null);
    if (found === null) return false;
    const stamp = `${found.mtimeMs} ${found.size}`;
    const now = performance.now();
    if (isOld || taken.get(path)?.stamp === stamp) {
      taken.set(path, { stamp, since: now, seenAt: now });
      return false;
    }
    const before = unsettled.get(path);
    const since = before?.stamp === stamp ? before.since : now;
    if (before?.stamp !== stamp || now - since < settleMs) {
      unsettled.set(path, { stamp, since, seenAt: now });
      return false;
    }
    unsettled.delete(path);
    taken.set(path, { stamp, since, seenAt: now });
    return true;
  }

  /** What a look that began then did not find, or has not found for long. */
  function forget(lookBegan: number): void {
    dropUnseen(unsettled, lookBegan);
    dropUnseen(taken, lookBegan - keptMs);
  }

  return { isComplete, forget, areAllSettled: () => unsettled.size === 0 };
}

function dropUnseen(sights: Map<string, Sight>, since: number): void {
  for (const [path, { seenAt }] of sights) if (seenAt < since) sights.delete(path);
}

/** Wakes whoever waits when the system tells of a change in a folder, or when the run is to end. */
function createBell(dirs: readonly string[], signal: AbortSignal) {
  let hasRung = false;
  let wake: (() => void) | null = null;
  const ring = () => {
    hasRung = true;
    wake?.();
  };
  const watchers = dirs.flatMap((dir) => watcherOf(dir, ring));

  function sleep(ms: number, isDisturbed: boolean): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        wake = null;
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal.addEventListener('abort', end, { once: true });
      if (isDisturbed) wake = end;
      if (signal.aborted || (isDisturbed && hasRung)) end();
    });
  }

  return {
    rest: (ms: number) => sleep(ms, false),
    wait: async (ms: number) => {
      await sleep(ms, true);
      hasRung = false;
    },
    close: () => watchers.forEach((watcher) => watcher.close()),
  };
}

/** None where the system has no more of them to give, or its kind of folder knows none: then looking has to do. */
function watcherOf(dir: string, onChange: () => void): readonly FSWatcher[] {
  try {
    const watcher = watch(dir, onChange);
    return [watcher.on('error', () => watcher.close())];
  } catch {
    return [];
  }
}
