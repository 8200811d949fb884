import { expect, test } from 'vitest';
import type { FailOn } from '../../src/cli/analyze/options.ts';
import type { ResultClass } from '../../src/contract/vocabulary.ts';
import type { ErrorCode } from '../../src/errors.ts';
import { emptySummary, exitCodeOf, withRecord } from '../../src/cli/analyze/summary.ts';

const found = (verdict: ResultClass) => ({ verdict, error: null });
const failed = (code: ErrorCode) => ({ verdict: null, error: { code, message: '' } });
type End = ReturnType<typeof found> | ReturnType<typeof failed>;
const exitOf = (ends: readonly End[], failOn: readonly FailOn[]) =>
  exitCodeOf(ends.reduce(withRecord, emptySummary), failOn);

test('a verdict is no failure unless it was asked for', () => {
  expect(exitOf([found('fake'), found('abstain')], [])).toBe(0);
  expect(exitOf([found('real'), found('uncertain')], ['fake', 'abstain'])).toBe(0);
});

test('fake outweighs uncertain, uncertain outweighs abstain', () => {
  const all = [found('abstain'), found('uncertain'), found('fake')];

  expect(exitOf(all, ['abstain', 'uncertain', 'fake'])).toBe(10);
  expect(exitOf(all, ['abstain', 'uncertain'])).toBe(11);
  expect(exitOf(all, ['abstain'])).toBe(12);
});

test('a failure outweighs every verdict: one alone exits with its own code', () => {
  expect(exitOf([failed('file_not_found')], ['fake'])).toBe(4);
  expect(exitOf([failed('no_space_left')], [])).toBe(6);
  expect(exitOf([failed('file_not_found'), found('fake')], ['fake'])).toBe(1);
});
