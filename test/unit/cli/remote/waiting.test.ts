import { expect, test } from 'vitest';
import type { Status } from '../../../../src/analyses/analysis.ts';
import { patiently } from '../../../../src/cli/analyze/remote/patience.ts';
import { untilEnded } from '../../../../src/cli/analyze/remote/poll.ts';
import { ForensicsError } from '../../../../src/errors.ts';
import { steppedPace } from '../../client/stepped-pace.ts';

const { signal: never } = new AbortController();

/** Fails with each of these, and then answers. */
function failing(...failures: readonly ForensicsError[]) {
  const left = [...failures];
  return async () => {
    const failure = left.shift();
    if (failure !== undefined) throw failure;
    return 'done';
  };
}

const away = () => new ForensicsError('server_unreachable', 'Away.');

test('a server that is restarted is waited for', async () => {
  const { pace, waits } = steppedPace();

  expect(await patiently(failing(away(), away()), never, pace)).toBe('done');
  expect(waits).toEqual([5000, 5000]);
});

test('a server that wants to be left alone for a minute gets that minute', async () => {
  const { pace, waits } = steppedPace();
  const limited = new ForensicsError('rate_limited', 'Slowly.', { retryAfterSeconds: 60 });

  expect(await patiently(failing(limited), never, pace)).toBe('done');
  expect(waits).toEqual([60_000]);
});

test('a server that wants to be left alone for longer than anybody waits is told at once', async () => {
  const { pace, waits } = steppedPace();
  const limited = new ForensicsError('rate_limited', 'Tomorrow.', { retryAfterSeconds: 86_400 });

  await expect(patiently(failing(limited), never, pace)).rejects.toBe(limited);
  expect(waits).toEqual([]);
});

test('patience ends after two and a half minutes', async () => {
  const { pace, waits } = steppedPace();
  const failures = Array.from({ length: 100 }, away);

  await expect(patiently(failing(...failures), never, pace)).rejects.toMatchObject({
    code: 'server_unreachable',
  });
  expect(waits.reduce((sum, ms) => sum + ms, 0)).toBe(150_000);
});

test('what waiting does not mend is told at once', async () => {
  const { pace, waits } = steppedPace();
  const refused = new ForensicsError('no_space_left', 'Full.');

  await expect(patiently(failing(refused), never, pace)).rejects.toBe(refused);
  expect(waits).toEqual([]);
});

const inState = (status: Status) => ({ inferenceStatus: { status } });

test('an analysis is asked for from twice a second to every ten seconds', async () => {
  const { pace, waits } = steppedPace();
  const states: Status[] = Array.from({ length: 14 }, () => 'processing');

  const ended = await untilEnded(async () => inState(states.shift() ?? 'completed'), never, pace);

  expect(ended.inferenceStatus.status).toBe('completed');
  expect(waits[0]).toBeGreaterThanOrEqual(375);
  expect(waits[0]).toBeLessThanOrEqual(625);
  expect(Math.max(...waits)).toBeLessThanOrEqual(12_500);
  expect(Math.min(...waits.slice(-3))).toBeGreaterThanOrEqual(7500);
});

test('waiting ends with the reason of the signal', async () => {
  const { pace } = steppedPace();
  const reason = new Error('enough');

  const waiting = untilEnded(async () => inState('pending'), AbortSignal.abort(reason), pace);

  await expect(waiting).rejects.toBe(reason);
});
