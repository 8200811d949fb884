import type { InferenceStatus } from '../../../analyses/analysis.ts';
import { type Pace, realPace } from '../../../retry.ts';

const firstPauseMs = 500;
const growth = 1.5;
/**
 * Each picture is asked for by its id, for only that answer holds the evidence. With 64 at once this comes to 400
 * requests a minute; a server allows 3,000.
 */
const longestPauseMs = 10_000;

interface Watched {
  readonly inferenceStatus: Pick<InferenceStatus, 'status'>;
}

/** Reads an analysis until it has ended. @throws what `read` throws; the reason of `signal`. */
export async function untilEnded<T extends Watched>(
  read: () => Promise<T>,
  signal: AbortSignal,
  pace: Pace = realPace,
): Promise<T> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * growth, longestPauseMs)) {
    const analysis = await read();
    const { status } = analysis.inferenceStatus;
    if (status === 'completed' || status === 'failed') return analysis;
    // A quarter more or less by chance: many who began together do not ask together.
    await pace.wait(pauseMs * (0.75 + Math.random() / 2), signal);
  }
}
