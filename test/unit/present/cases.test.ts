import { expect, test } from 'vitest';
import { type CaseMember, inCaseOrder, writeCaseSummary } from '../../../src/present/cases.ts';
import { resultClasses } from '../../../src/contract/vocabulary.ts';

const member = (outcome: (typeof resultClasses)[number], more: Partial<CaseMember> = {}) => ({
  status: 'completed' as const,
  result: { resultClass: resultClasses.indexOf(outcome), resultSubClasses: [] },
  isSuspected: false,
  projectId: '4711',
  seenBefore: [],
  ...more,
});

test('a case lists the most urgent pictures first, and counts suspected changes separately', () => {
  const real = member('real');
  const undecided = member('uncertain');
  const suspected = member('uncertain', { isSuspected: true });
  const seen = member('real', { seenBefore: [{ projectId: '4099' }, { projectId: '4711' }] });
  const changed = member('fake', { result: { resultClass: 1, resultSubClasses: [2] } });
  const failed = member('real', { status: 'failed', result: null });
  const members = [real, undecided, suspected, seen, changed, failed];

  const ordered = inCaseOrder(members, (one) => one);

  expect(ordered).toEqual([failed, changed, seen, suspected, undecided, real]);
  expect(writeCaseSummary(members, 'en', 2)).toBe(
    '6 pictures: 1 failed, 1 with signs of a change, 1 with a suspected change, 1 undecided, 2 with no sign found; 2 from one camera, 1 seen outside this case.',
  );
  expect(writeCaseSummary([suspected], 'de')).toBe('1 Bild: 1 mit Verdacht auf eine Veränderung.');
});
