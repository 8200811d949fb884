import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { judgeClock } from '../../../../src/ops/doctor/store.ts';
import {
  messageOf,
  checkModels,
  judgePostgres,
  judgeSpace,
} from '../../../../src/ops/doctor/installation.ts';
import { ForensicsError } from '../../../../src/errors.ts';

test.each([
  [149_999_999, 10e9, 'failed'],
  [150_000_000, 10e9, 'warning'],
  [999_999_999, 10e9, 'warning'],
  [1_000_000_000, 10e9, 'ok'],
  [49_000_000_000, 1000e9, 'warning'],
  [50_000_000_000, 1000e9, 'ok'],
])('%i free bytes of %i for pictures of 50 MB are %s', (freeBytes, totalBytes, state) => {
  expect(judgeSpace({ freeBytes, totalBytes }, 50_000_000).state).toBe(state);
});

test.each([
  [0, 'ok', 'agree'],
  [-60_000, 'ok', 'agree'],
  [61_000, 'warning', '61 s ahead of'],
  [-900_000, 'warning', '900 s behind'],
  [901_000, 'failed', '901 s ahead of'],
])('a clock %i ms ahead is %s', (aheadMs, state, words) => {
  const message: unknown = expect.stringContaining(words);
  expect(judgeClock('acme', aheadMs)).toMatchObject({ tenant: 'acme', state, message });
});

test('the packaged models are intact, and a damaged one is named', async () => {
  const extra = mkdtempSync(join(tmpdir(), 'forensics-models-'));
  mkdirSync(join(extra, 'mine'));
  writeFileSync(join(extra, 'mine', 'manifest.json'), '{');

  const [intact, damaged] = [await checkModels(null), await checkModels(extra)];

  expect(intact).toMatchObject({
    state: 'ok',
    message: expect.stringContaining('trace-3, locate-1'),
  });
  expect(damaged).toMatchObject({ state: 'failed', message: expect.stringContaining('mine') });
});

test('PostgreSQL settings that could lose committed data are named', () => {
  const safe = { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on' };
  const unsafe = judgePostgres('15.4', { ...safe, fsync: 'off', full_page_writes: 'off' });

  expect(judgePostgres('15.4', safe).state).toBe('ok');
  expect(unsafe).toMatchObject({
    state: 'failed',
    message: 'A power cut could lose committed data: fsync, full_page_writes is off.',
    fix: 'Switch it on in postgresql.conf: fsync = on',
  });
});

test('an unexpected error is reported by its code only', () => {
  const leaky = Object.assign(new Error('at https://host/?secret=1'), { code: 'EIO' });

  expect(messageOf(leaky)).toBe('It failed (EIO).');
  expect(messageOf(new ForensicsError('internal', 'Told as it is.'))).toBe('Told as it is.');
});
