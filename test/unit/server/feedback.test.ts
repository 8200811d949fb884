import { expect, test } from 'vitest';
import { listFeedback } from '../../../src/service/feedback/feedback.ts';
import { listeningForFile } from './open-server.ts';

const open = await listeningForFile();
const { user, tokens } = await open.makeUser('examiner', { tenants: [open.tenant] });
const asUser = open.as(`Bearer ${tokens.accessToken}`);
const userId = user.id;

const message = {
  url: 'https://app.example/',
  name: 'Examiner',
  email: 'examiner@example.org',
  message: 'It says fake.',
};

const send = async (change: object = {}, headers: Record<string, string> = {}) =>
  asUser('POST', '/v1/feedback', { ...message, ...change }, headers);

const latest = async () => (await listFeedback(open.app.core.database.db, 1))[0];

test('a message is stored with its sender, tenant and the default source', async () => {
  const answer = await send();

  expect(answer.json()).toEqual({ success: true });
  expect(await latest()).toMatchObject({
    userId,
    tenantId: open.tenant.id,
    message: { ...message, source: 'frontend-support-request' },
  });
});

test('exactly the fields of the contract are stored', async () => {
  const all = {
    ...message,
    source: 'frontend-analysis-feedback',
    sourceAttributes: { analysisId: '1', nested: { list: [1, null, '<b>'] } },
    replaySessionId: 'session',
  };

  const answer = await send({ ...all, id: 'forged', userId: 'forged' });

  expect(answer.status).toBe(200);
  expect(await latest()).toMatchObject({ userId });
  expect((await latest())!.message).toEqual(all);
});

test.each([
  ['an unknown source', { source: 'somewhere' }, /source must be one of/],
  ['a missing message', { message: undefined }, /message is missing/],
  ['attributes that are not an object', { sourceAttributes: 'a' }, /sourceAttributes must be/],
])('%s is 400', async (_, change, expected) => {
  const answer = await send(change);

  expect(answer.status).toBe(400);
  expect(answer.json()['message']).toMatch(expected);
});

test.each([
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  '',
])('the content type %j is 400', async (contentType) => {
  const answer = await send({}, { 'content-type': contentType });

  expect(answer.status).toBe(400);
  expect(answer.json()['message']).toContain('application/json');
});
