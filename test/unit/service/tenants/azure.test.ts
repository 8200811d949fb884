import { fetch } from 'undici';
import { afterAll, expect, test } from 'vitest';
import { operator } from '../../../../src/service/audit/entry.ts';
import { storageConfigs } from '../../../../src/ports/db/schema.ts';
import { createAzureStore } from '../../../../src/ports/storage/azure/azure.ts';
import { createStores, type OpenRemoteStore } from '../../../../src/ports/storage/stores.ts';
import { startAzurite } from '../../ports/storage/azurite.ts';
import { openTenancy } from './open-tenancy.ts';

const azurite = await startAzurite();
afterAll(() => azurite.close());

const origin = 'https://app.example';
const now = () => new Date();

const openRemote: OpenRemoteStore = (config) => {
  if (config.type !== 'azure') throw new TypeError('only containers here');
  return createAzureStore(config.azure, { expirySeconds: 3600, ca: azurite.ca });
};
const embeddedFor = (): never => {
  throw new TypeError('nothing is kept in the service');
};

async function setUp() {
  const parts = await openTenancy({ now, openRemote, defaultOrigins: [origin] });
  const { db, tenants, configs, cors, tenancy } = parts;
  const tenant = await tenants.create({ name: 'acme' });
  const stores = createStores({ db, configs, cors, embeddedFor, openRemote });
  return { db, tenant, tenants, tenancy, stores };
}

test('a tenant’s own container is created, and pages of the service’s origins may upload to it', async () => {
  const { db, tenant, tenancy, stores } = await setUp();
  const { connectionString } = azurite;
  const storageConfig = { azure: { containerName: 'evidence', connectionString } };

  const answer = await tenancy.change(tenant, { storageType: 'azure', storageConfig }, operator);
  const { store } = await stores.current(tenant.id);
  const { type, putUrl, getUrl } = store.presign('a.png', now());
  const preflight = await fetch(putUrl, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'x-ms-blob-type',
    },
    dispatcher: azurite.dispatcher,
  });
  const put = await fetch(putUrl, {
    method: 'PUT',
    body: 'picture',
    headers: { 'x-ms-blob-type': 'BlockBlob', origin },
    dispatcher: azurite.dispatcher,
  });
  const got = await fetch(getUrl, { dispatcher: azurite.dispatcher });

  expect(answer).toMatchObject({
    storageType: 'azure',
    storageConfig: {
      azure: {
        containerName: 'evidence',
        connectionString: expect.stringMatching(/^AccountName=tester;AccountKey=\*\*\*;/),
      },
    },
    storageWarning: null,
  });
  expect([type, preflight.status, put.status]).toEqual(['azure', 200, 201]);
  expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
  expect(await got.text()).toBe('picture');
  expect(await db.select().from(storageConfigs).all()).toMatchObject([{ corsApplied: [origin] }]);
});
