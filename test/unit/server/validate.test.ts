import { expect, test } from 'vitest';
import {
  createBody,
  createBodyUpTo,
  listQuery,
  retryBody,
} from '../../../src/contract/analysis.ts';
import { contractFormats } from '../../../src/contract/vocabulary.ts';
import { compileValidator } from '../../../src/server/bodies.ts';
import { draft } from './open-server.ts';

const body = compileValidator({ schema: createBody, httpPart: 'body' });
const query = compileValidator({ schema: listQuery, httpPart: 'querystring' });
const retry = compileValidator({ schema: retryBody, httpPart: 'body' });

function withInput(change: object): unknown {
  return { ...draft, input: { ...draft.input, ...change } };
}

function errorOf(outcome: { value: unknown } | { error: Error }): string | null {
  return 'error' in outcome ? outcome.error.message : null;
}

test('a service set to allow larger pictures accepts them, and its errors name no setting', () => {
  const larger = compileValidator({
    schema: createBodyUpTo(8192, contractFormats),
    httpPart: 'body',
  });

  expect(larger(withInput({ width: 8192 }))).toHaveProperty('value');
  expect(errorOf(larger(withInput({ width: 8193 })))).toBe(
    'input.width must be an integer from 65 to 8192.',
  );
});

test.each([
  ['complete', draft],
  ['without a project', { ...draft, projectId: null }],
  [
    'with tags, project and file name as long as the contract allows',
    {
      ...draft,
      tags: ['', 'x'.repeat(2000), ...Array.from({ length: 200 }, String)],
      projectId: '',
      input: { ...draft.input, filename: `${'f'.repeat(5000)}.jpg` },
    },
  ],
])('a draft that is %s passes unchanged', (_what, sent) => {
  expect(body(sent)).toEqual({ value: sent });
});

const more = "; the server's intake setting can allow more.";

test.each([
  [withInput({ width: 64 }), `input.width must be an integer from 65 to 4096${more}`],
  [withInput({ width: 4097 }), `input.width must be an integer from 65 to 4096${more}`],
  [withInput({ height: '480' }), `input.height must be an integer from 65 to 4096${more}`],
  [withInput({ height: 480.5 }), `input.height must be an integer from 65 to 4096${more}`],
  [withInput({ format: 'gif' }), `input.format must be one of jpg, png${more}`],
  [withInput({ version: 'v2' }), 'input.version must be v1.'],
  [withInput({ options: undefined }), 'input.options is missing; it must be an object.'],
  [
    withInput({ options: { tear: 'flagging' } }),
    'input.options.tear is not known; the known members are model, decisionStrategy, tier, seed.',
  ],
  [
    withInput({ options: { tier: 'forensic' } }),
    'input.options.tier must be one of flagging, forensicReporting.',
  ],
  [{ ...draft, name: '' }, 'name must be text of 1 to 255 characters, not only spaces.'],
  [
    { ...draft, name: ' \u00a0\u200b\n' },
    'name must be text of 1 to 255 characters, not only spaces.',
  ],
  [withInput({ filename: '' }), 'input.filename must be text, not empty.'],
  [
    { ...draft, name: 'x'.repeat(256) },
    'name must be text of 1 to 255 characters, not only spaces.',
  ],
  [{ ...draft, comment: 'x'.repeat(501) }, 'comment must be text of at most 500 characters.'],
  [{ ...draft, comment: null }, 'comment must be text of at most 500 characters.'],
  [{ ...draft, tags: ['a', 7] }, 'tags.1 must be text.'],
  [{ ...draft, projectId: 7 }, 'projectId must be text or null.'],
  [
    { ...draft, tenantName: undefined },
    'tenantName is missing; it must be text of 1 to 255 characters.',
  ],
  [[], 'The body must be a JSON object.'],
  [null, 'The body must be a JSON object.'],
  ['draft', 'The body must be a JSON object.'],
])('an error names the field and what is allowed (%#)', (sent, message) => {
  expect(errorOf(body(JSON.parse(JSON.stringify(sent))))).toBe(message);
});

test('the length of a name counts characters outside the basic plane as one', () => {
  expect(errorOf(body({ ...draft, name: '🖼'.repeat(255) }))).toBeNull();
});

test('unknown properties are accepted outside the options', () => {
  expect(errorOf(body({ ...draft, colour: 'red' }))).toBeNull();
});

test('a list may be asked for tags and projects of that length', () => {
  const found = { tenantName: 'acme', tag: 'x'.repeat(2000), projectId: 'x'.repeat(2000) };
  expect(query(found)).toEqual({ value: found });
});

test('a leap second is refused, because it is not a time that can be compared', () => {
  const leap = { tenantName: 'acme', createdFrom: '2016-12-31T23:59:60Z' };
  expect(errorOf(query(leap))).toBe(
    'createdFrom must be an ISO 8601 date, or date and time, such as 2026-03-01T12:00:00Z.',
  );
  for (const createdFrom of ['2016-12-31T23:59:59.9+14:00', '2016-12-31', '2016-12-31T23:59']) {
    expect(errorOf(query({ ...leap, createdFrom }))).toBeNull();
  }
});

test('text from the caller cannot break the message into two lines', () => {
  const sent = { id: 'a', tenantName: 'b', options: { [`x\ny/~${'z'.repeat(99)}`]: 1 } };

  expect(errorOf(retry(sent))).toBe(
    `options.x?y/~${'z'.repeat(59)} is not known; the known members are model, decisionStrategy, tier, seed.`,
  );
});

test('digits in a query become integers', () => {
  const sent = { tenantName: '7', start: '10', limit: '5' };

  expect(query(sent)).toEqual({ value: { tenantName: '7', start: 10, limit: 5 } });
});

test.each([
  [{ start: '-1' }, 'start must be an integer of at least 0.'],
  [{ start: '1.5' }, 'start must be an integer of at least 0.'],
  [{ start: '' }, 'start must be an integer of at least 0.'],
  [{ start: '0x10' }, 'start must be an integer of at least 0.'],
  [{ start: ['1', '2'] }, 'start must be an integer of at least 0.'],
  [{ limit: '0' }, 'limit must be an integer of at least 1.'],
  [{ id: ['a', 'b'] }, 'id must be text of 1 to 64 characters'],
])('the query %j is refused', (sent, message) => {
  expect(errorOf(query({ tenantName: 'acme', ...sent }))).toContain(message);
});
