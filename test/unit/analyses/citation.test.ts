import { expect, test } from 'vitest';
import { citationFor } from '../../../src/analyses/citation.ts';

const validation = {
  id: 'a'.repeat(24),
  createdAt: new Date(0),
  model: 'trace-1 1.2.0',
  conditions: [],
};
const examinedWith = (version: string) => ({ model: { id: 'trace-1', version, files: {} } });

test('a report cites the validation of the model that examined the picture', () => {
  expect(citationFor({ validation }, examinedWith('1.2.0'))).toEqual({ validation });
});

test('a picture that an older model examined is not given the error rates of the newer one', () => {
  expect(citationFor({ validation }, examinedWith('1.1.0'))).toEqual({});
  expect(citationFor({ validation: null }, examinedWith('1.2.0'))).toEqual({});
});
