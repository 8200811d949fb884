import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Analysis } from '../../../src/contract/analysis.ts';
import { type Answer, draft, listeningForFile } from './open-server.ts';

const open = await listeningForFile();

const create = (body: string | Buffer, type = 'application/json', more = {}) =>
  open.askWithKey({
    method: 'POST',
    path: '/v1/analysis',
    headers: { 'content-type': type, ...more },
    body,
  });
/** The draft as JSON, with `name` unescaped between the quotes of its name. */
const draftNamed = (name: string) =>
  JSON.stringify({ ...draft, name: '?' }).replace('"?"', `"${name}"`);
const nameIn = (answer: Answer) => answer.data<Analysis[]>()[0]?.name;
const refusal = (answer: Answer) => [answer.status, answer.headers['x-error-code']];

test.each([
  'application/json; charset=utf-8',
  'application/json;charset="UTF-8"',
  'Application/JSON; charset=utf8',
  'application/json; odata=verbose',
])('%s is read as UTF-8', async (type) => {
  expect(nameIn(await create(draftNamed('Grüße'), type))).toBe('Grüße');
});

test.each([
  'application/json; charset=iso-8859-1',
  'application/json; odata=verbose; charset="utf-16"',
  'application/json; charset=utf-8859',
  'application/jsonp',
])('%s is refused, not read as UTF-8', async (type) => {
  const answer = await create(Buffer.from(draftNamed('Grüße'), 'latin1'), type);

  expect(refusal(answer)).toEqual([415, 'unsupported_media_type']);
  expect(answer.json()).toMatchObject({ message: expect.stringContaining('UTF-8') });
});

test('a compressed body is refused as such', async () => {
  const compressed = { 'content-encoding': 'gzip' };
  const answer = await create(gzipSync(draftNamed('Grüße')), 'application/json', compressed);

  expect(refusal(answer)).toEqual([415, 'unsupported_media_type']);
  expect(answer.json()).toMatchObject({ message: expect.stringContaining('Content-Encoding') });
  const plain = await create(draftNamed('Grüße'), undefined, { 'content-encoding': 'identity' });
  expect(nameIn(plain)).toBe('Grüße');
});

test('bytes that are not UTF-8 are refused, not replaced', async () => {
  const answer = await create(Buffer.from(draftNamed('Grüße'), 'latin1'));

  expect(refusal(answer)).toEqual([400, 'invalid_request']);
  expect(answer.json()).toMatchObject({ message: 'The body is not valid UTF-8.' });
});

describe('the character U+0000', () => {
  test.each([
    ['in a name', draftNamed('a\\u0000b')],
    ['after a backslash', draftNamed('\\\\\\u0000')],
    ['in the name of a property', `{"a\\u0000":1,${JSON.stringify(draft).slice(1)}`],
  ])('is refused %s', async (_where, body) => {
    const answer = await create(body);

    expect(refusal(answer)).toEqual([400, 'invalid_request']);
    expect(answer.json()).toMatchObject({ message: expect.stringContaining('U+0000') });
  });

  test.each([
    ['U+D83D', '\\ud83d'],
    ['U+DE00', '\\\\ud83d\\ude00'],
    ['U+D83D', '\\ud83d\\uD83D\\uDE00'],
    ['U+DE00', '\\ud83d\\ude00\\ude00'],
  ])('is refused like half a surrogate pair, %s in %s', async (name, text) => {
    const answer = await create(draftNamed(text));

    expect(refusal(answer)).toEqual([400, 'invalid_request']);
    expect(answer.json()).toMatchObject({
      message: `Text must not contain the character ${name}.`,
    });
    expect(nameIn(await create(draftNamed('\\ud83d\\ude00')))).toBe('😀');
  });

  test('is not mistaken for an escaped backslash before u0000', async () => {
    expect(nameIn(await create(draftNamed('\\\\u0000')))).toBe('\\u0000');
    expect(nameIn(await create(draftNamed('a\\u0001')))).toBe('a\u0001');
  });

  test('is looked for quickly, however many backslashes there are', async () => {
    const begun = performance.now();
    const answer = await create(draftNamed('\\\\'.repeat(250_000)));

    expect(answer.status).toBe(400);
    expect(performance.now() - begun).toBeLessThan(1000);
  });
});
