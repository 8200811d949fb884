import type { Pace } from '../../../../src/waiting.ts';

/** A clock that only waiting moves, and a list of the waits. */
export function steppedPace() {
  const waits: number[] = [];
  let nowMs = 0;
  const pace: Pace = {
    now: () => nowMs,
    async wait(ms, signal) {
      signal?.throwIfAborted();
      waits.push(ms);
      nowMs += ms;
    },
  };
  return { pace, waits };
}
