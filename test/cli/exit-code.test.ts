import { expect, test } from 'vitest';
import type { FailOn } from '../../src/cli/analyze/options.ts';
import type { ResultClass } from '../../src/contract/vocabulary.ts';
import type { ErrorCode } from '../../src/errors.ts';
import { emptySummary, exitCodeOf, withRecord } from '../../src/cli/analyze/summary.ts';

type End = Parameters<typeof withRecord>[1];
const open: End = { file: 'a.jpg', verdict: null, error: null, skipped: null };
const found = (verdict: ResultClass): End => ({ ...open, verdict });
const failed = (code: ErrorCode): End => ({ ...open, error: { code, message: '' } });
const skipped: End = { ...open, skipped: { code: 'not_a_picture', kind: 'video' } };
const exitOf = (ends: readonly End[], failOn: readonly FailOn[]) =>
  exitCodeOf(ends.reduce(withRecord, emptySummary), failOn);

test('a verdict is no failure unless --fail-on names it', () => {
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

test('an unexamined file outweighs everything when --fail-on names it', () => {
  expect(exitOf([found('real'), skipped], ['fake'])).toBe(0);
  expect(exitOf([found('real'), skipped], ['unexamined'])).toBe(13);
  expect(exitOf([failed('file_not_found')], ['unexamined', 'fake'])).toBe(13);
  expect(exitOf([found('fake')], ['unexamined', 'fake'])).toBe(10);
});
