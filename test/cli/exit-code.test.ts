import { expect, test } from 'vitest';
import { exitCodeOf } from '../../src/cli/analyze/exit-code.ts';
import type { ResultClass } from '../../src/engine/result.ts';
import type { ErrorCode } from '../../src/errors.ts';

const found = (verdict: ResultClass) => ({ verdict, error: null });
const failed = (code: ErrorCode) => ({ verdict: null, error: { code, message: '' } });

test('a verdict is no failure unless it was asked for', () => {
  expect(exitCodeOf([found('fake'), found('abstain')], [])).toBe(0);
  expect(exitCodeOf([found('real'), found('uncertain')], ['fake', 'abstain'])).toBe(0);
});

test('fake outweighs uncertain, uncertain outweighs abstain', () => {
  const all = [found('abstain'), found('uncertain'), found('fake')];

  expect(exitCodeOf(all, ['abstain', 'uncertain', 'fake'])).toBe(10);
  expect(exitCodeOf(all, ['abstain', 'uncertain'])).toBe(11);
  expect(exitCodeOf(all, ['abstain'])).toBe(12);
});

test('a failure outweighs every verdict: one alone exits with its own code', () => {
  expect(exitCodeOf([failed('file_not_found')], ['fake'])).toBe(4);
  expect(exitCodeOf([failed('no_space_left')], [])).toBe(6);
  expect(exitCodeOf([failed('file_not_found'), found('fake')], ['fake'])).toBe(1);
});
