import { expect, test } from 'vitest';
import { present } from '../../../src/present/presentation.ts';
import { readResult } from '../../../src/present/result.ts';
import { makeExamination } from './examination.ts';

test('a picture that is no photograph is called what it looks like', () => {
  const examination = makeExamination({ resultClass: 'abstain', reasons: ['not_a_photograph'] });
  const [traces] = examination.findings;
  const statement = { code: 'looks_like', values: { kind: 'screenshot' } } as const;
  const likeness = { ...traces!, statement, measures: { isPhotograph: 0 } };

  const { because } = present(readResult({ ...examination, findings: [likeness] }), 'en');

  expect(because).toBe('The picture looks like a screenshot, not like a photograph.');
});
