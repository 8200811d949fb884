import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  messageOf,
  checkModels,
  checkPostgres,
  judgeSpace,
} from '../../../../src/ops/doctor/installation.ts';
import { ForensicsError } from '../../../../src/contract/errors.ts';
import { temporaryDb } from '../../ports/db/temporary.ts';

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

test('PostgreSQL settings that could lose committed data are named', async () => {
  const db = temporaryDb();
  const settings: Record<string, string> = {
    server_version: '15.4',
    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',
  };
  db.$client.function('current_setting', (name) => settings[String(name)]);
  const safe = await checkPostgres(db);
  Object.assign(settings, { fsync: 'off', full_page_writes: 'off' });
  const unsafe = await checkPostgres(db);

  expect(safe.state).toBe('ok');
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
