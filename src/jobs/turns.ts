/**
 * Whose job a worker takes up next, so that nobody stands in everybody's way: owners take turns, and one whose latest job
 * could not be done rests ten times as long as that took, then gets one job at a time until one is done. Kept in memory:
 * a new process has to find out again.
 */

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
