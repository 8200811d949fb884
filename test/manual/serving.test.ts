import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { operationsOf } from '../contract/interface/document.ts';
import { useServing } from '../journeys/use-serving.ts';
import { readManual } from '../../bin/manual/manual.ts';

const serving = useServing();

test('the table of operations lists exactly those of the API document', async () => {
  const answer = await serving.ask({ method: 'GET', path: '/v1/schema' });
  const documented = operationsOf(answer.json()).map(({ method, path }) => `${method} ${path}`);

  expect(operationsOfManual().toSorted()).toEqual(documented.toSorted());
});

/**
 * `GET PUT /v1/tenant` means two; a word without a method or folder takes those of the first in its
 * cell.
 */
function operationsOfManual(): readonly string[] {
  const rows = [...readManual().matchAll(/^\| ((?:`[A-Z ]*\/?[a-z][^`]*`(?:, )?)+) \|/gm)];
  return rows
    .map(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code))
    .filter(([first = '']) => /^[A-Z ]+ \/v1\//.test(first))
    .flatMap((codes) => codes.flatMap((code) => operationsIn(code, codes[0]!)));
}

function operationsIn(code: string, first: string): readonly string[] {
  const words = code.split(' ');
  const path = words.pop()!;
  const firstWords = first.split(' ');
  const firstPath = firstWords.pop()!;
  const methods = words.length === 0 ? firstWords : words;
  const whole = path.startsWith('/') ? path : `${dirname(firstPath)}/${path}`;
  return methods.map((method) => `${method} ${whole}`);
}
