import { describe, expect, test } from 'vitest';
import type { Operations } from '../../../src/service/app.ts';
import { ForensicsError } from '../../../src/contract/errors.ts';
import { draft, openServer, type Question, listeningForFile } from './open-server.ts';

const open = await listeningForFile();
const { askWithKey } = open;

type Checks = Awaited<ReturnType<Operations['health']>>;

const failedWebhooks: Checks[number] = {
  name: 'webhooks',
  cause: new Error('timeout'),
  isVital: false,
};

const statuses = {
  invalid_request: 400,
  not_found: 404,
  analysis_not_found: 404,
  method_not_allowed: 405,
  body_too_large: 413,
  unsupported_media_type: 415,
};
const path = '/v1/analysis';
const get = (address: string): Question => ({ method: 'GET', path: address });
const post = (body?: Question['body'], headers = {}): Question => ({
  method: 'POST',
  path,
  headers,
  ...(body !== undefined && { body }),
});
const json = { 'content-type': 'application/json' };
const object = `/b-${'0'.repeat(24)}/analyses/input.jpg?expires=1`;
const large = { ...draft, comment: 'x'.repeat(2 ** 20) };
const longKey = { 'idempotency-key': 'x'.repeat(256) };

const failing: Record<string, [Question, keyof typeof statuses, RegExp]> = {
  'an unknown address': [get('/v1/none'), 'not_found', /GET \/v1\/schema/],
  'an unknown method': [
    { method: 'PATCH', path },
    'method_not_allowed',
    /GET, HEAD, POST, PUT, DELETE/,
  ],
  'an unknown method on an object': [
    { method: 'POST', path: object },
    'method_not_allowed',
    /only GET, HEAD, PUT, DELETE, OPTIONS\./,
  ],
  'a very long address': [get(`/${'a'.repeat(9000)}`), 'not_found', /Nothing exists/],
  'a broken escape': [get('/%zz'), 'invalid_request', /percent-encoding/],
  'truncated JSON': [post('{"name"', json), 'invalid_request', /not valid JSON/],
  'no body': [post(), 'invalid_request', /must be a JSON object/],
  'a poisoned prototype': [
    post('{"__proto__":{"a":1}}', json),
    'invalid_request',
    /not valid JSON/,
  ],
  text: [
    post('{}', { 'content-type': 'text/plain' }),
    'unsupported_media_type',
    /application\/json/,
  ],
  'a body without a type': [post('{}'), 'unsupported_media_type', /application\/json/],
  'a body above 1 MiB': [post(large), 'body_too_large', /too large/],
  'an unknown id': [
    get(`${path}?tenantName=acme&id=../../etc`),
    'analysis_not_found',
    /Analysis not found/,
  ],
  'an overlong Idempotency-Key': [
    post(draft, longKey),
    'invalid_request',
    /^idempotency-key must be text/,
  ],
};

describe('failures', () => {
  test.each(Object.entries(failing))('%s', async (_name, [question, code, message]) => {
    const answer = await askWithKey(question);

    expect([answer.status, answer.headers['x-error-code']]).toEqual([statuses[code], code]);
    expect(answer.json()).toEqual({ success: false, message: expect.stringMatching(message) });
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('an internal error tells the caller nothing and is logged in full', async () => {
    const { answer, log } = await listFailing(new Error('disk 7 on fire'));

    expect(answer.statusCode).toBe(500);
    expect(answer.body).not.toContain('fire');
    expect(log).toContain('disk 7 on fire');
  });

  test('a temporary failure says when to try again, and is logged without a stack trace', async () => {
    const busy = new ForensicsError('store_unavailable', 'The store does not answer; try again.');

    const { answer, log } = await listFailing(busy);

    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '5']);
    expect(log).toContain(busy.message);
    expect(log).not.toContain('stack');
  });

  test('a failed vital check makes the server unhealthy and is named', async () => {
    const cause = new Error('read-only file system');
    const storage = { name: 'storage', cause, isVital: true };

    const answer = await healthOf(async () => [
      { name: 'database', cause: null, isVital: true },
      storage,
      failedWebhooks,
    ]);

    expect(answer.statusCode).toBe(503);
    expect(answer.json()).toEqual({ success: false, message: 'Not healthy: storage.' });
  });

  test('a failed check that is not vital is degraded, and the server stays healthy', async () => {
    const vital = (await open.app.operations.health()).slice(0, -1);

    const answer = await healthOf(async () => [...vital, failedWebhooks]);

    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({
      success: true,
      intake: 'contract',
      data: { database: 'ok', storage: 'ok', model: 'ok', queue: 'ok', webhooks: 'degraded' },
    });
  });
});

/** The answer of a server like ours with other `parts`, and its log. */
async function answerWith(parts: Partial<typeof open.app>, url: string) {
  const broken = await openServer({ app: { ...open.app, ...parts } });
  const { authorization } = open;
  const answer = await broken.server.inject({ url, headers: { authorization } });
  await broken.close();
  return { answer, log: broken.log.join('') };
}

async function listFailing(error: Error) {
  const analyses = { ...open.app.analyses, list: () => Promise.reject(error) };
  return answerWith({ analyses }, `${path}?tenantName=acme`);
}

async function healthOf(health: Operations['health']) {
  const operations = { ...open.app.operations, health };
  return (await answerWith({ operations }, '/v1/health')).answer;
}
