import { expect, test } from 'vitest';
import { type CaseMember, inCaseOrder, writeCaseSummary } from '../../../src/present/cases.ts';
import { resultClasses } from '../../../src/contract/vocabulary.ts';
import { readAnswer, type Result } from '../../../src/present/result.ts';

const member = (outcome: (typeof resultClasses)[number], more: Partial<CaseMember> = {}) => ({
  status: 'completed' as const,
  isStarted: true,
  result: { resultClass: resultClasses.indexOf(outcome), resultSubClasses: [] },
  answer: readAnswer(outcome, null, [], []),
  projectId: '4711',
  seenBefore: [],
  ...more,
});

const suspicion: Result = {
  ...readAnswer('uncertain', null, [], []),
  reasons: ['manipulation_suspected'],
};
const copyIn = (projectId: string) => ({ projectId, reasons: ['picture', 'camera'] as const });
const linkIn = (projectId: string) => ({ projectId, reasons: ['camera'] as const });

test('a case lists the most urgent pictures first, and counts suspected changes separately', () => {
  const real = member('real');
  const undecided = member('uncertain');
  const suspected = member('uncertain', { answer: suspicion });
  const seen = member('real', { seenBefore: [copyIn('4711'), copyIn('4099')] });
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

test('a picture whose upload was never finished is not counted as being examined', () => {
  const waiting = member('real', { status: 'pending', result: null });
  const left = { ...waiting, isStarted: false };

  expect(inCaseOrder([waiting, left], (one) => one)).toEqual([left, waiting]);
  expect(writeCaseSummary([waiting, left], 'en')).toBe(
    '2 pictures: 1 not uploaded, 1 being examined.',
  );
});

test('a picture that only shares its camera with another is not seen before, but linked', () => {
  const linked = member('real', { seenBefore: [linkIn('4099')] });
  const undecided = member('uncertain', { seenBefore: [linkIn('4711')] });
  const seen = member('real', { seenBefore: [linkIn('4098'), copyIn('4099')] });

  expect(inCaseOrder([linked, undecided, seen], (one) => one)).toEqual([seen, undecided, linked]);
  expect(writeCaseSummary([linked, undecided, seen], 'en', 3)).toBe(
    '3 pictures: 1 undecided, 2 with no sign found; 3 from one camera, 1 seen outside this case, 2 linked to pictures outside this case.',
  );
});

test('a copy of a picture outside the case comes before others, but after what was found', () => {
  const seenBefore = [copyIn('4099')];
  const generated = member('fake');
  const generatedToo = member('fake', { seenBefore });
  const suspected = member('uncertain', { answer: suspicion });
  const suspectedToo = member('uncertain', { answer: suspicion, seenBefore });
  const undecided = member('uncertain');
  const undecidedToo = member('uncertain', { seenBefore });
  const real = member('real', { seenBefore: [copyIn('4711')] });
  const realToo = member('real', { seenBefore });
  const given = [real, realToo, undecided, undecidedToo, suspected, suspectedToo, generated];

  expect(inCaseOrder([...given, generatedToo], (one) => one)).toEqual([
    generatedToo,
    generated,
    suspectedToo,
    undecidedToo,
    realToo,
    suspected,
    undecided,
    real,
  ]);
});

test('a picture whose changes cannot be judged is not counted as one with no sign found', () => {
  const real = member('real');
  const none = readAnswer('real', null, [], []);
  const blind = member('real', { answer: { ...none, changesFound: { found: 1, of: 100 } } });
  const hinted = member('real', { answer: { ...none, isChangeHinted: true } });

  expect(inCaseOrder([real, blind], (one) => one)).toEqual([blind, real]);
  expect(writeCaseSummary([real, blind, hinted], 'en')).toBe(
    '3 pictures: 2 with no sign of AI generation, changes left open, 1 with no sign found.',
  );
});
