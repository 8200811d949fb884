/** Waiting for a server: while it works, and while it is restarted, busy, or wants to be asked less often. */

import { type Pace, realPace } from '../../../client/pace.ts';
import { isAway } from '../../../client/retry.ts';
import { ForensicsError } from '../../../errors.ts';

// Longer than a restart takes, and than the minute in which a caller has spent what it may ask.
const patienceMs = 150_000;
const pauseMs = 5000;

/** Beyond the half minute for which the `Api` itself tries again. @throws what `act` threw last; the reason of `signal`. */
export async function patiently<T>(
  act: () => Promise<T>,
  signal: AbortSignal,
  pace: Pace = realPace,
): Promise<T> {
  const until = pace.now() + patienceMs;
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof ForensicsError) || !isAway(error)) throw error;
      const { retryAfterSeconds } = error;
      const waitMs = retryAfterSeconds === null ? pauseMs : 1000 * retryAfterSeconds;
      if (pace.now() + waitMs > until) throw error;
      await pace.wait(waitMs, signal);
    }
  }
}
