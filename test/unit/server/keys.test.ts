import { describe, expect, test } from 'vitest';
import type { KeyEntry } from '../../../src/contract/keys.ts';
import { type Question, listeningForFile } from './open-server.ts';

type Headers = NonNullable<Question['headers']>;

const open = await listeningForFile();
const send = open.as(open.authorization);

const path = '/v1/auth/api';
const soon = () => new Date(Date.now() + 3_600_000).toISOString();

async function create(name: string, headers: Headers = {}): Promise<KeyEntry> {
  const answer = await send('POST', path, { name, expiresAt: soon() }, headers);
  expect(answer.status).toBe(200);
  return answer.data<KeyEntry>();
}

const list = async () => (await send('GET', path)).data<KeyEntry[]>();
const remove = async (uuid: string, headers: Headers) =>
  send('DELETE', `${path}?uuid=${uuid}`, undefined, headers);
const statusWith = async (secret: string) =>
  (await open.as(`ApiKey ${secret}`)('GET', path)).status;

test('a repeated create over HTTP makes one key, and only the first answer has its secret', async () => {
  const body = { name: 'once', expiresAt: soon() };
  const repeat = async () => send('POST', path, body, { 'idempotency-key': 'once' });

  const [first, second] = [await repeat(), await repeat()];

  const made = first.data<KeyEntry>();
  expect(await statusWith(made.secret)).toBe(200);
  expect(second.json()).toMatchObject({ data: { uuid: made.uuid } });
  expect(second.body.toString()).not.toContain(made.secret);
  expect((await list()).filter(({ name }) => name === 'once')).toHaveLength(1);
});

interface Rotated extends KeyEntry {
  readonly replaced: KeyEntry;
  readonly earlier: readonly KeyEntry[];
}

async function rotate(fields: object) {
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  return send('POST', path, { expiresAt, ...fields });
}

describe('a rotation over HTTP', () => {
  test('without a grace period the old key stops working at once; the default one never extends its life', async () => {
    const first = await create('graces');

    const daily = await rotate({ replaces: { uuid: first.uuid.toUpperCase() } });
    const { replaced, ...second } = daily.data<Rotated>();
    const atOnce = await rotate({ replaces: { uuid: second.uuid }, graceSeconds: 0 });

    expect(replaced.uuid).toBe(first.uuid);
    // It was to expire in an hour, and a grace period does not extend that.
    expect(replaced.expiresAt).toBe(first.expiresAt);
    expect(atOnce.json()).toMatchObject({ data: { replaced: { ended: 'replaced' } } });
    expect([await statusWith(first.secret), await statusWith(second.secret)]).toEqual([200, 401]);
  });

  test.each<[string, object, number]>([
    ['an unknown key', { replaces: { name: 'nobody' } }, 404],
    ['both a key and a name', { replaces: { name: 'x' }, name: 'x' }, 400],
    ['neither name nor key', {}, 400],
    ['a grace period for a new key', { name: 'x', graceSeconds: 1 }, 400],
    ['a negative grace period', { replaces: { name: 'x' }, graceSeconds: -1 }, 400],
    ['both a uuid and a name', { replaces: { name: 'x', uuid: crypto.randomUUID() } }, 400],
    ['an invalid uuid', { replaces: { uuid: 'x' } }, 400],
  ])('with %s creates nothing', async (_, fields, status) => {
    const before = await list();

    const answer = await rotate(fields);

    expect(answer.status).toBe(status);
    expect((await list()).length).toBe(before.length);
  });
});

describe('a delete', () => {
  test.each<[string, Headers]>([
    ['no content type', {}],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['text', { 'content-type': 'text/plain' }],
    ['another JSON type', { 'content-type': 'application/json-patch+json' }],
  ])('with %s could come from another site, and deletes nothing', async (_, headers) => {
    const { uuid: kept } = await create('kept');

    const answer = await remove(kept, headers);

    expect([answer.status, answer.headers['x-error-code']]).toEqual([403, 'forbidden']);
    expect((await list()).some((key) => key.uuid === kept)).toBe(true);
  });

  test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON'])(
    'as %s works with or without a body',
    async (type) => {
      const [bare, full] = [await create('bare'), await create('full')];
      const headers = { 'content-type': type };

      const answers = [
        await remove(bare.uuid.toUpperCase(), headers),
        await open.askWithKey({
          method: 'DELETE',
          path: `${path}?tenantName=acme&uuid=${full.uuid}`,
          headers,
          body: '{}',
        }),
      ];

      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    },
  );
});
