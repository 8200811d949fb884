import { describe, expect, test } from 'vitest';
import type { Operations } from '../../../src/service/app.ts';
import { ForensicsError } from '../../../src/errors.ts';
import { draft, openServer, type Question, listeningForFile } from './open-server.ts';

const open = await listeningForFile();
const { askWithKey } = open;

type Checks = Awaited<ReturnType<Operations['health']>>;

const failedWebhooks: Checks[number] = {
  name: 'webhooks',
  cause: new Error('timeout'),
  isVital: false,
};

async function withoutStorage(): Promise<Checks> {
  return [
    { name: 'database', cause: null, isVital: true },
    { name: 'storage', cause: new Error('read-only file system'), isVital: true },
    failedWebhooks,
  ];
}

const statuses = {
  invalid_request: 400,
  model_not_found: 400,
  not_found: 404,
  analysis_not_found: 404,
  method_not_allowed: 405,
  body_too_large: 413,
  unsupported_media_type: 415,
};
const json = { 'content-type': 'application/json' };
const path = '/v1/analysis';

describe('failures', () => {
  test.each<[string, Question, keyof typeof statuses, RegExp]>([
    ['an unknown address', { method: 'GET', path: '/v1/none' }, 'not_found', /GET \/v1\/schema/],
    [
      'an unknown method',
      { method: 'PATCH', path },
      'method_not_allowed',
      /GET, HEAD, POST, PUT, DELETE/,
    ],
    [
      'an unknown method on an object',
      { method: 'POST', path: `/b-${'0'.repeat(24)}/analyses/input.jpg?expires=1` },
      'method_not_allowed',
      /only GET, HEAD, PUT, DELETE, OPTIONS\./,
    ],
    [
      'a missing file of the API description',
      { method: 'GET', path: '/docs/static/none.js' },
      'not_found',
      /Nothing exists/,
    ],
    [
      'a very long address',
      { method: 'GET', path: `/${'a'.repeat(9000)}` },
      'not_found',
      /Nothing exists/,
    ],
    ['a broken escape', { method: 'GET', path: '/%zz' }, 'invalid_request', /percent-encoding/],
    [
      'truncated JSON',
      { method: 'POST', path, headers: json, body: '{"name"' },
      'invalid_request',
      /not valid JSON/,
    ],
    ['no body', { method: 'POST', path }, 'invalid_request', /must be a JSON object/],
    [
      'a list',
      { method: 'POST', path, headers: json, body: '[]' },
      'invalid_request',
      /must be a JSON object/,
    ],
    [
      'a poisoned prototype',
      { method: 'POST', path, headers: json, body: '{"__proto__":{"a":1}}' },
      'invalid_request',
      /not valid JSON/,
    ],
    [
      'text',
      { method: 'POST', path, headers: { 'content-type': 'text/plain' }, body: '{}' },
      'unsupported_media_type',
      /application\/json/,
    ],
    [
      'a form',
      {
        method: 'POST',
        path,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'a=1',
      },
      'unsupported_media_type',
      /application\/json/,
    ],
    [
      'a body without a type',
      { method: 'POST', path, body: '{}' },
      'unsupported_media_type',
      /application\/json/,
    ],
    [
      'a body above 1 MiB',
      { method: 'POST', path, body: { ...draft, comment: 'x'.repeat(2 ** 20) } },
      'body_too_large',
      /too large/,
    ],
    [
      'a tag that is not a text',
      { method: 'POST', path, body: { ...draft, tags: [1] } },
      'invalid_request',
      /^tags\.0 must be text/,
    ],
    [
      'an unknown model',
      {
        method: 'POST',
        path,
        body: { ...draft, input: { ...draft.input, options: { model: 'x' } } },
      },
      'model_not_found',
      /trace-3/,
    ],
    [
      'an unknown id',
      { method: 'GET', path: `${path}?tenantName=acme&id=../../etc` },
      'analysis_not_found',
      /Analysis not found/,
    ],
    [
      'an overlong Idempotency-Key',
      { method: 'POST', path, headers: { 'idempotency-key': 'x'.repeat(256) }, body: draft },
      'invalid_request',
      /^idempotency-key must be text/,
    ],
  ])('%s', async (_name, question, code, message) => {
    const answer = await askWithKey(question);

    expect([answer.status, answer.headers['x-error-code']]).toEqual([statuses[code], code]);
    expect(answer.json()).toEqual({ success: false, message: expect.stringMatching(message) });
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('an internal error tells the caller nothing and is logged in full', async () => {
    const { app } = open;
    const analyses = { ...app.analyses, list: () => Promise.reject(new Error('disk 7 on fire')) };
    const broken = await openServer({ app: { ...app, analyses } });
    const answer = await broken.server.inject({
      url: `${path}?tenantName=acme`,
      headers: { authorization: open.authorization },
    });
    await broken.close();

    expect(answer.statusCode).toBe(500);
    expect(answer.body).not.toContain('fire');
    expect(broken.log.join('')).toContain('disk 7 on fire');
  });

  test('a temporary failure says when to try again, and is logged without a stack trace', async () => {
    const { app } = open;
    const busy = new ForensicsError('store_unavailable', 'The store does not answer; try again.');
    const analyses = { ...app.analyses, list: () => Promise.reject(busy) };
    const broken = await openServer({ app: { ...app, analyses } });
    const answer = await broken.server.inject({
      url: `${path}?tenantName=acme`,
      headers: { authorization: open.authorization },
    });
    await broken.close();

    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '5']);
    expect(broken.log.join('')).toContain(busy.message);
    expect(broken.log.join('')).not.toContain('stack');
  });

  test('a failed vital check makes the server unhealthy and is named', async () => {
    const { app } = open;
    const broken = await openServer({
      app: { ...app, operations: { ...app.operations, health: withoutStorage } },
    });
    const answer = await broken.server.inject({ url: '/v1/health' });
    await broken.close();

    expect(answer.statusCode).toBe(503);
    expect(answer.json()).toEqual({ success: false, message: 'Not healthy: storage.' });
  });

  test('a failed check that is not vital is degraded, and the server stays healthy', async () => {
    const { app } = open;
    const health = async () => [...(await app.operations.health()).slice(0, -1), failedWebhooks];
    const degraded = await openServer({
      app: { ...app, operations: { ...app.operations, health } },
    });
    const answer = await degraded.server.inject({ url: '/v1/health' });
    await degraded.close();

    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({
      success: true,
      intake: 'contract',
      data: {
        database: 'ok',
        storage: 'ok',
        model: 'ok',
        queue: 'ok',
        webhooks: 'degraded',
      },
    });
  });
});
