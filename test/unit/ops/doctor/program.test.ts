import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { judgeClock } from '../../../../src/ops/doctor/clock.ts';
import {
  messageOf,
  checkModels,
  checkModules,
  judgeNode,
  judgeSpace,
} from '../../../../src/ops/doctor/installation.ts';
import { ForensicsError } from '../../../../src/errors.ts';

test('the native modules load on the machine that runs the tests', async () => {
  const found = await checkModules();

  expect(found.map(({ name, state }) => [name, state])).toEqual([
    ['image codecs', 'ok'],
    ['ONNX Runtime', 'ok'],
    ['SQLite', 'ok'],
  ]);
});

test.each([
  ['20.19.0', 'failed'],
  ['22.17.1', 'failed'],
  ['22.18.0', 'ok'],
  ['24.0.0', 'ok'],
])('Node.js %s is %s', (version, state) => {
  expect(judgeNode(version).state).toBe(state);
});

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

  expect(intact).toMatchObject([
    { state: 'ok', message: expect.stringContaining('trace-3, locate-1') },
  ]);
  expect(damaged).toMatchObject([{ state: 'failed', message: expect.stringContaining('mine') }]);
});

test('an unexpected error is reported by its code only', () => {
  const leaky = Object.assign(new Error('at https://host/?secret=1'), { code: 'EIO' });

  expect(messageOf(leaky)).toBe('It failed (EIO).');
  expect(messageOf(new ForensicsError('internal', 'Told as it is.'))).toBe('Told as it is.');
});
