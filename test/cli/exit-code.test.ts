import { expect, test } from 'vitest';
import type { FailOn } from '../../src/cli/options.ts';
import type { ResultClass } from '../../src/contract/vocabulary.ts';
import type { ErrorCode } from '../../src/contract/errors.ts';
import { emptySummary, exitCodeOf, withRecord } from '../../src/cli/analyze/batch.ts';

type End = Parameters<typeof withRecord>[1];
const open: End = { file: 'a.jpg', verdict: null, error: null, skipped: null };
const found = (verdict: ResultClass): End => ({ ...open, verdict });
const failed = (code: ErrorCode): End => ({ ...open, error: { code, message: '' } });
const skipped: End = { ...open, skipped: { code: 'not_a_picture', kind: 'video' } };
const all = [found('abstain'), found('uncertain'), found('fake')];

const cases: readonly (readonly [string, readonly End[], readonly FailOn[], number])[] = [
  ['a verdict is no failure', [found('fake'), found('abstain')], [], 0],
  ['another verdict is no failure', [found('real'), found('uncertain')], ['fake', 'abstain'], 0],
  ['fake outweighs the others', all, ['abstain', 'uncertain', 'fake'], 10],
  ['uncertain outweighs abstain', all, ['abstain', 'uncertain'], 11],
  ['abstain counts if it is named', all, ['abstain'], 12],
  ['a failure alone has its own code', [failed('file_not_found')], ['fake'], 4],
  ['a full disk alone has its own code', [failed('no_space_left')], [], 6],
  ['a failure outweighs verdicts', [failed('file_not_found'), found('fake')], ['fake'], 1],
  ['a skipped file is no failure', [found('real'), skipped], ['fake'], 0],
  ['an unexamined file counts if it is named', [found('real'), skipped], ['unexamined'], 13],
  ['it outweighs failures', [failed('file_not_found')], ['unexamined', 'fake'], 13],
  ['without one, verdicts count', [found('fake')], ['unexamined', 'fake'], 10],
];

test.each(cases)('%s', (_what, ends, failOn, code) => {
  expect(exitCodeOf(ends.reduce(withRecord, emptySummary), failOn)).toBe(code);
});
