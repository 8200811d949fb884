import { expect, test } from 'vitest';
import { untilEnded, withFreshUrls } from '../../../../src/cli/client/analyses.ts';
import type { Status } from '../../../../src/contract/vocabulary.ts';
import { steppedPace } from './stepped-pace.ts';
import { ForensicsError } from '../../../../src/contract/errors.ts';

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

interface Signed {
  readonly id: string;
  readonly signature: number;
}

/** A server that signs again at each read, for a store that accepts signatures from `oldest` on. */
function storeFrom(oldest: number) {
  let signature = 0;
  const sign = (id: string): Signed => ({ id, signature: ++signature });
  return {
    first: sign('a'),
    reader: { read: async (id: string) => sign(id) },
    use: async (analysis: Signed) => {
      if (analysis.signature >= oldest) return analysis.signature;
      throw new ForensicsError('url_expired', 'Too old.');
    },
  };
}

test('an expired URL is requested again', async () => {
  const { first, reader, use } = storeFrom(2);

  expect(await withFreshUrls(first, reader, use)).toBe(2);
});

test('a new URL that has already expired is blamed on the clocks', async () => {
  const { first, reader, use } = storeFrom(3);

  await expect(withFreshUrls(first, reader, use)).rejects.toMatchObject({
    code: 'store_refused',
    message: expect.stringContaining('clocks of server and store differ'),
  });
});

test('any other error is passed on unchanged', async () => {
  const { first, reader } = storeFrom(1);
  const refused = new ForensicsError('no_space_left', 'Full.');

  const trying = withFreshUrls(first, reader, async () => {
    throw refused;
  });

  await expect(trying).rejects.toBe(refused);
});
