import { afterAll, describe, expect, test } from 'vitest';
import { operator } from '../../../../src/service/audit/entry.ts';
import { storageConfigs, tenants as tenantRows } from '../../../../src/ports/db/schema.ts';
import { createS3Store } from '../../../../src/ports/storage/s3/s3.ts';
import type { OpenRemoteStore } from '../../../../src/ports/storage/stores.ts';
import type { TenantRequest } from '../../../../src/service/tenants/tenancy.ts';
import { logOf } from '../audit/log-of.ts';
import { steppedClock } from '../../ports/db/temporary.ts';
import { bucket, otherBucket, startS3Server } from '../../../fixtures/s3-server.ts';
import { openTenancy } from './open-tenancy.ts';
import { refusal } from '../../../fixtures/refusal.ts';

const server = await startS3Server();
afterAll(() => server.close());

const openS3: OpenRemoteStore = (config) => {
  if (config.type !== 's3') throw new TypeError('only buckets here');
  return createS3Store(config.s3, { timeouts: { retryDelayMs: 1 } });
};

async function setUp({
  openRemote = openS3,
  webhookAllow = ['external'],
}: {
  openRemote?: OpenRemoteStore;
  webhookAllow?: string[];
} = {}) {
  const clock = steppedClock();
  const { now } = clock;
  const { db, tenants, keys, tenancy } = await openTenancy({ now, openRemote, webhookAllow });
  const { id } = await tenants.create({ name: 'acme' });
  const tenant = async () => (await tenants.byId(id))!;
  const read = async () => tenancy.read(await tenant());
  const change = async (request: TenantRequest) =>
    tenancy.change(await tenant(), request, operator);
  return {
    clock,
    db,
    id,
    tenants,
    keys,
    read,
    change,
    mint: async () => {
      const expiresAt = new Date(now().getTime() + 1_000_000);
      return keys.mint({ tenantId: id, name: 'ci', expiresAt, by: operator });
    },
    /** A request that is refused, with everything else in it. */
    expectRefusal: async (request: TenantRequest, error: object) => {
      const before = await read();
      await expect(change({ name: 'acme-2', ...request })).rejects.toEqual(error);
      expect(await read()).toEqual(before);
    },
  };
}

const ownBucket = (name = bucket): { readonly storageConfig: { s3: object } } => ({
  storageConfig: { s3: server.s3Config(name) },
});

test('a new tenant has the store of the service and no other settings', async () => {
  const { id, mint, read } = await setUp();
  const { secret, ...key } = await mint();

  expect(await read()).toEqual({
    id,
    tenantName: 'acme',
    name: 'acme',
    createdDate: '2026-03-01T12:00:00.000Z',
    updatedDate: null,
    apiKeys: [{ ...key, secret: expect.stringMatching(/\*\*\*.*/) }],
    storageType: 's3',
    storageWarning: null,
    webhookState: 'none',
    defaultOptions: null,
    seenBefore: true,
    isTrial: false,
  });
  expect(JSON.stringify(await read())).not.toContain(secret);
});

test('a tenant’s own store is tested, saved and returned masked', async () => {
  const { change, read, db } = await setUp();

  const answer = await change(ownBucket());

  const { accessKeyId, secretAccessKey, corsAllowedOrigins, ...open } = server.s3Config(bucket);
  expect(answer).toMatchObject({
    storageType: 's3',
    storageConfig: { s3: { ...open, secretAccessKey: '***' } },
    updatedDate: '2026-03-01T12:00:00.000Z',
  });
  expect(await read()).toEqual(answer);
  expect(JSON.stringify(answer)).not.toContain(secretAccessKey);
  expect(JSON.stringify(answer)).not.toContain(accessKeyId);
  expect(corsAllowedOrigins).toBeNull();
  expect(server.objects()).toEqual([]);
  expect(await db.select().from(storageConfigs).all()).toHaveLength(1);
});

test('the answer sent back unchanged changes nothing and contacts no store', async () => {
  const { change, mint, read } = await setUp({
    openRemote: (config) => ({ ...openS3(config), probe: probes.shift() ?? unexpectedProbe }),
  });
  await mint();
  await change({ ...ownBucket(), webhookUrl: 'https://receiver.example/secret' });
  const answer = await read();

  const again = await change(JSON.parse(JSON.stringify(answer)));

  expect(again).toEqual(answer);
});

test('the default store, named again, is no change', async () => {
  const { change, read } = await setUp();
  const before = await read();

  expect(await change({ storageConfig: null, storageType: 's3', name: 'acme' })).toEqual(before);
});

test('the log names the settings that change, never their values', async () => {
  const { change, db, id } = await setUp();
  await change({ ...ownBucket(), name: 'acme-2', webhookUrl: 'https://receiver.example/secret' });

  await change(JSON.parse(JSON.stringify(await change({}))));
  await change({ storageConfig: null });

  expect((await logOf(db, { chain: id })).slice(1)).toEqual([
    ['operator', 'tenant.changed', { fields: ['name', 'webhookUrl', 'storageConfig'] }],
    ['operator', 'tenant.changed', { fields: ['storageConfig'] }],
  ]);
});

test('the default options of the console are kept until set to null, and their changes are logged', async () => {
  const { change, read, db, id } = await setUp();
  const defaultOptions = { tier: 'flagging', decisionStrategy: 'pedantic' } as const;

  await change({ defaultOptions });
  await change({ name: 'acme-2', defaultOptions });
  const kept = await read();
  await change({ defaultOptions: null });

  expect(kept).toMatchObject({ name: 'acme-2', defaultOptions });
  expect(await read()).toMatchObject({ defaultOptions: null });
  expect((await logOf(db, { chain: id })).slice(1)).toEqual([
    ['operator', 'tenant.changed', { fields: ['defaultOptions'] }],
    ['operator', 'tenant.changed', { fields: ['name'] }],
    ['operator', 'tenant.changed', { fields: ['defaultOptions'] }],
  ]);
});

const unexpectedProbe = async () => {
  throw new Error('the store was asked');
};
const probes = [async () => undefined];

describe('a store that does not work is refused, and nothing else of the request is applied', () => {
  test.each([
    ['a wrong secret', { secretAccessKey: 'wrong' }],
    ['somebody else’s bucket', { bucketName: otherBucket }],
    ['a closed port', { port: 1 }],
  ])('%s', async (_name, wrong) => {
    const { expectRefusal, db } = await setUp();
    const storageConfig = { s3: server.s3Config(bucket, wrong) };

    await expectRefusal({ storageConfig }, expect.objectContaining({ code: 'store_refused' }));
    expect(await db.select().from(storageConfigs).all()).toEqual([]);
  });
});

test('new credentials replace the old ones, and masked members stay', async () => {
  const { change, db } = await setUp();
  const first = await change(ownBucket());
  server.replaceKey(bucket);
  const { accessKeyId, secretAccessKey } = server.s3Config(bucket);

  const masked = change({ storageConfig: { s3: { region: 'eu-west-1' } } });
  await expect(masked).rejects.toMatchObject({ code: 'store_refused' });
  const second = await change({ storageConfig: { s3: { accessKeyId, secretAccessKey } } });

  expect(second.storageConfig).toEqual(first.storageConfig);
  expect(await db.select().from(storageConfigs).all()).toHaveLength(1);
});

test('null returns to the store of the service, and the old one is kept for old analyses', async () => {
  const { change, db } = await setUp();
  await change(ownBucket());

  const answer = await change({ storageConfig: null });

  expect(answer).toMatchObject({ storageType: 's3' });
  expect(answer).not.toHaveProperty('storageConfig');
  expect(await db.select().from(storageConfigs).all()).toHaveLength(1);
});

test('the type must match the configuration', async () => {
  const { change } = await setUp();
  const invalid = { code: 'invalid_request' };

  await expect(change({ storageType: 'azure' })).rejects.toMatchObject(invalid);
  await expect(change({ storageType: 'azure', ...ownBucket() })).rejects.toMatchObject(invalid);
  await expect(change({ storageType: 'azure', storageConfig: null })).rejects.toMatchObject(
    invalid,
  );
  expect(await change({ storageType: 's3' })).toMatchObject({ storageType: 's3' });
  expect(await change({ storageType: 's3', ...ownBucket() })).toHaveProperty('storageConfig');
});

test('of two changes of the storage at once, one is refused, so that none is lost silently', async () => {
  let duringProbe: (() => Promise<unknown>) | null = null;
  const { change, read } = await setUp({
    openRemote: (config) => {
      const store = openS3(config);
      return {
        ...store,
        async probe() {
          const act = duringProbe;
          duringProbe = null;
          await act?.();
          await store.probe();
        },
      };
    },
  });
  duringProbe = () => change(ownBucket(otherBucket));

  await expect(change(ownBucket(bucket))).rejects.toMatchObject({ code: 'conflict' });

  expect((await read()).storageConfig).toMatchObject({ s3: { bucketName: otherBucket } });
});

test('new origins are applied at once, and a bucket that does not support them is a warning', async () => {
  const { change, db } = await setUp();
  const corsAllowedOrigins = ['https://app.example'];
  await change(ownBucket());

  const answer = await change({ storageConfig: { s3: { corsAllowedOrigins } } });

  expect(answer).toMatchObject({
    storageConfig: { s3: { corsAllowedOrigins } },
    storageWarning: expect.stringContaining('Browsers may be unable to reach the bucket'),
  });
  expect(await db.select().from(storageConfigs).all()).toMatchObject([
    { corsApplied: null, corsWarning: expect.any(String) },
  ]);
});

test('a failing webhook is reported while it is retried, and then why it is disabled', async () => {
  const { change, read, db, clock } = await setUp();
  await change({ webhookUrl: 'https://receiver.example/token' });
  const stateAfter = async (facts: Partial<typeof tenantRows.$inferInsert>) => {
    await db.update(tenantRows).set(facts).run();
    return (await read()).webhookState;
  };

  expect(await stateAfter({ webhookFailingSince: clock.now() })).toBe('retrying');
  const off = { webhookDisabledAt: clock.now(), webhookDisabledReason: 'failing' } as const;
  expect(await stateAfter(off)).toBe('failing');
  expect(await stateAfter({ webhookDisabledReason: 'gone' })).toBe('gone');
  expect(await change({ webhookUrl: 'https://receiver.example/token' })).toMatchObject({
    webhookState: 'active',
  });
});

describe('a webhook at an address', () => {
  test.each([
    'http://2130706433/',
    'https://[::ffff:192.168.0.1]/',
    'https://receiver.localhost./',
  ])('%s is refused if it is not allowed, and the error names webhookAllow', async (url) => {
    const { expectRefusal } = await setUp();

    await expectRefusal(
      { webhookUrl: url },
      refusal('invalid_request', /^webhookUrl is an address .* webhookAllow setting\.$/),
    );
  });

  test('that is allowed is accepted, and so is every name', async () => {
    const { change } = await setUp({ webhookAllow: ['external', 'private', '127.0.0.0/8'] });
    const urls = ['https://10.0.0.1/x', 'http://localhost/', 'https://1.1.1.1/', 'http://inside/'];

    for (const webhookUrl of urls) {
      expect(await change({ webhookUrl })).toMatchObject({ webhookUrl });
    }
  });

  test('that was allowed before can be sent back unchanged', async () => {
    const { change, tenants, id, read } = await setUp();
    await tenants.update(id, { webhookUrl: 'https://10.0.0.1/x' });
    const answer = await read();

    const again = await change(JSON.parse(JSON.stringify(answer)));

    expect(again).toEqual(answer);
  });
});

describe('what is read-only', () => {
  test.each<[keyof TenantRequest, unknown]>([
    ['id', 'f'.repeat(24)],
    ['apiKeys', [{ uuid: 'mine' }]],
    ['analytics', {}],
    ['analytics', null],
    ['isTrial', true],
    ['createdDate', '2026-01-01T00:00:00.000Z'],
  ])('%s: %j is refused and named', async (member, value) => {
    const { expectRefusal } = await setUp();

    await expectRefusal({ [member]: value }, refusal('invalid_request', `${member} is read-only`));
  });

  test('the last use of a key may have changed since it was read', async () => {
    const { change, keys, mint, clock, read } = await setUp();
    const { secret } = await mint();
    const lastUse = async () => (await read()).apiKeys[0]!.lastUsedDate;
    await keys.authenticate(secret);
    await expect.poll(lastUse).toBe('2026-03-01T12:00:00.000Z');
    const { apiKeys } = await read();
    clock.step(120_000);
    await keys.authenticate(secret);
    await expect.poll(lastUse).toBe('2026-03-01T12:02:00.000Z');

    expect(await change({ apiKeys })).toMatchObject({ name: 'acme' });
  });
});

test('a configuration that cannot be opened is reported, and can be replaced by a complete one', async () => {
  const { change, read, db } = await setUp();
  await change(ownBucket());
  await db
    .update(storageConfigs)
    .set({ sealed: Buffer.alloc(64, 1) })
    .run();

  const closed = await read();
  const partial = change({ storageConfig: { s3: { region: 'us-east-1' } } });

  expect(closed).toMatchObject({
    storageType: 's3',
    storageWarning: expect.stringContaining('master key'),
  });
  expect(closed).not.toHaveProperty('storageConfig');
  await expect(partial).rejects.toMatchObject({ code: 'invalid_request' });
  expect(await change({ webhookUrl: null })).toMatchObject({ webhookState: 'none' });
  expect(await change(ownBucket())).toMatchObject({ storageWarning: null });
});
