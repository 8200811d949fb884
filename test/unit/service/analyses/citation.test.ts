import { expect, test } from 'vitest';
import { citationFor } from '../../../../src/service/analyses/render.ts';

const model = { id: 'trace-1', version: '1.2.0', files: { 'manifest.json': 'ab' } };
const validation = { id: 'a'.repeat(24), createdAt: new Date(0), model, conditions: [] };

test('a report cites the validation of the model that examined the picture', () => {
  expect(citationFor({ validation }, { model: { ...model } })).toEqual({ validation });
});

test.each([
  ['an older version', { ...model, version: '1.1.0' }],
  ['the same version with other limits', { ...model, files: { 'manifest.json': 'cd' } }],
])('a picture that %s examined is not given the error rates of the newer one', (_, older) => {
  expect(citationFor({ validation }, { model: older })).toEqual({});
  expect(citationFor({ validation: null }, { model })).toEqual({});
});
