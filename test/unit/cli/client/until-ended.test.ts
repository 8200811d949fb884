import { expect, test } from 'vitest';
import { untilEnded } from '../../../../src/cli/client/analyses.ts';
import type { Status } from '../../../../src/contract/vocabulary.ts';
import { steppedPace } from './stepped-pace.ts';

const { signal: never } = new AbortController();
const inState = (status: Status) => ({ inferenceStatus: { status } });

test('an analysis is polled twice a second at first, later every ten seconds', async () => {
  const { pace, waits } = steppedPace();
  const states: Status[] = Array.from({ length: 14 }, () => 'processing');

  const ended = await untilEnded(async () => inState(states.shift() ?? 'completed'), never, pace);

  expect(ended.inferenceStatus.status).toBe('completed');
  expect(waits[0]).toBeGreaterThanOrEqual(375);
  expect(waits[0]).toBeLessThanOrEqual(625);
  expect(Math.max(...waits)).toBeLessThanOrEqual(12_500);
  expect(Math.min(...waits.slice(-3))).toBeGreaterThanOrEqual(7500);
});

test('waiting fails with the signal’s reason', async () => {
  const { pace } = steppedPace();
  const reason = new Error('enough');

  const waiting = untilEnded(async () => inState('pending'), AbortSignal.abort(reason), pace);

  await expect(waiting).rejects.toBe(reason);
});
