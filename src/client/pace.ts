import { setTimeout } from 'node:timers/promises';

/** A clock, and waiting by it: tests step it. */
export interface Pace {
  /** Milliseconds, from any beginning. */
  now(): number;
  /** @throws the reason of `signal`. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

export const realPace: Pace = {
  now: () => performance.now(),
  async wait(ms, signal) {
    await setTimeout(ms, null, signal === undefined ? {} : { signal }).catch(() => {
      throw signal?.reason;
    });
  },
};
