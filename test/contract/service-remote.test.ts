import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openCore } from '../../src/service/core.ts';
import { createLocalKeys } from '../../src/cli/connection/local.ts';
import { createRemoteKeys } from '../../src/cli/connection/remote.ts';
import { openApi } from '../../src/cli/client/api.ts';
import { readConfig } from '../../src/contract/config.ts';
import { caOf, urlOf } from '../cli/on-server.ts';
import { type Listening, openListening } from '../unit/server/open-server.ts';
import { describeService, tenant } from './service.ts';

/** A connection to the server with this Authorization header. */
async function openRemote(open: Listening, authorization: string) {
  const api = openApi({
    url: urlOf(open),
    ca: readFileSync(caOf(open), 'utf8'),
    authorization,
    userAgent: 'forensics/0.0.0',
  });
  return { service: createRemoteKeys(api), close: async () => api.close() };
}

async function openBehind({ dataDir }: Listening) {
  const { settings } = readConfig({ flags: { dataDir }, environment: {} });
  const core = await openCore(settings);
  return { core, local: createLocalKeys(core) };
}

describeService('on a server', async () => {
  const open = await openListening();
  const byKey = await openRemote(open, open.authorization);
  const { core } = await openBehind(open);
  return {
    service: byKey.service,
    core,
    close: async () => {
      await core.close();
      await byKey.close();
      await open.close();
    },
  };
});

test('a server and its data folder give the same answers', async () => {
  const open = await openListening();
  const { service, close } = await openRemote(open, open.authorization);
  const { core, local } = await openBehind(open);
  await local.rotate({
    tenant,
    which: { name: 'test' },
    expiresAt: new Date(Date.now() + 86_400_000),
    graceMs: 60_000,
  });

  // The first request records when the key was last used.
  await service.list(tenant);

  expect(await service.list(tenant)).toEqual(await local.list(tenant));
  await core.close();
  await close();
  await open.close();
});
