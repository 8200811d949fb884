/**
 * A loop that sleeps until something is due: woken at once from inside the process, and at the latest after `pollMs` to see
 * what other processes did. One turn at a time.
 */

export interface Loop {
  start(): void;
  /** Has a turn soon; calls that come together make one turn. */
  wake(): void;
  /** Ends after the present turn. */
  stop(): void;
}

/**
 * @param turn - takes up what is due without waiting for it; returns when the next thing is due, null for nothing.
 * @param onError - a turn that throws is reported here and tried again after `pollMs`.
 */
export function createLoop({
  turn,
  now,
  pollMs,
  onError,
}: {
  readonly turn: () => Date | null;
  readonly now: () => Date;
  readonly pollMs: number;
  readonly onError: (error: unknown) => void;
}): Loop {
  let isRunning = false;
  let timer: NodeJS.Timeout | undefined;

  const sleep = (ms: number) => {
    clearTimeout(timer);
    if (isRunning) timer = setTimeout(haveTurn, ms);
  };

  function haveTurn(): void {
    try {
      const dueAt = turn();
      const ms = dueAt === null ? pollMs : dueAt.getTime() - now().getTime();
      sleep(Math.min(pollMs, Math.max(0, ms)));
    } catch (error) {
      onError(error);
      sleep(pollMs);
    }
  }

  return {
    start() {
      isRunning = true;
      sleep(0);
    },
    wake: () => sleep(0),
    stop() {
      isRunning = false;
      clearTimeout(timer);
    },
  };
}

// Whose job a worker takes up next, so that nobody stands in everybody's way: owners take turns, and one whose latest job
// could not be done rests ten times as long as that took, then gets one job at a time until one is done. Kept in memory:
// a new process has to find out again.

export interface Turns {
  /** Owners of whom nothing may be taken up now. */
  barred(): readonly string[];
  /**
   * Owners whose jobs are left alone, from the fairest choice to the last: first comes who has nothing in hand and was not
   * served last, then who has nothing in hand, then whoever is not barred.
   */
  choices(): readonly (readonly string[])[];
  /** When the next rest ends; null when nobody rests. */
  nextAt(): Date | null;
  /** A job is taken up; the function that is returned says how it ended. */
  begin(owner: string | null): (end: 'done' | 'failed' | 'taken away') => void;
}

const shortestRestMs = 1000;
const longestRestMs = 15 * 60_000;

export function createTurns(now: () => Date): Turns {
  const inHand: string[] = [];
  /** Owners whose latest job failed, and until when they rest. */
  const failing = new Map<string, Date>();
  let latest: string | null = null;

  const isResting = (until: Date) => until > now();

  const barred = () =>
    [...failing]
      .filter(([owner, until]) => isResting(until) || inHand.includes(owner))
      .map(([owner]) => owner);

  return {
    barred,
    choices() {
      const last = barred();
      const idle = [...last, ...inHand];
      return [latest === null ? idle : [...idle, latest], idle, last];
    },
    nextAt() {
      const ends = [...failing.values()].filter(isResting).map((until) => until.getTime());
      return ends.length === 0 ? null : new Date(Math.min(...ends));
    },
    begin(owner) {
      if (owner === null) return () => undefined;
      const begunAt = now().getTime();
      inHand.push(owner);
      latest = owner;
      return (end) => {
        inHand.splice(inHand.indexOf(owner), 1);
        if (end === 'done') failing.delete(owner);
        if (end === 'failed') failing.set(owner, restUntil(begunAt));
      };
    },
  };

  function restUntil(begunAt: number): Date {
    const at = now().getTime();
    const restMs = Math.max(shortestRestMs, 10 * (at - begunAt));
    return new Date(at + Math.min(longestRestMs, restMs));
  }
}
