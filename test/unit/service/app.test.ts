import { expect, test } from 'vitest';
import { systemPrincipal } from '../../../src/service/access/principal.ts';
import { openApp, withStack } from '../../../src/service/app.ts';
import { makeFirstTenant } from '../../../src/service/first-run.ts';
import { readConfig } from '../../../src/contract/config.ts';
import { temporaryFolder } from '../ports/db/temporary.ts';
import { createRequest } from './analyses/workshop.ts';

function settingsIn(dataDir: string, more: Record<string, unknown> = {}) {
  return readConfig({ flags: { dataDir, workers: 1, ...more }, environment: {} }).settings;
}

test('resources are released in reverse order when opening fails half-way', async () => {
  const released: string[] = [];
  const opening = withStack(async (stack) => {
    stack.defer(() => void released.push('first'));
    stack.defer(async () => {
      released.push('second');
      throw new Error('cannot be closed');
    });
    stack.defer(() => void released.push('third'));
    throw new Error('half-way');
  });

  await expect(opening).rejects.toThrow('half-way');
  expect(released).toEqual(['third', 'second', 'first']);
});

test('of several servers that start at once on an empty database, one creates the first tenant', async () => {
  const folder = temporaryFolder();
  const apps = [await openApp(settingsIn(folder)), await openApp(settingsIn(folder))];

  const made = await Promise.all(apps.map(({ core }) => makeFirstTenant(core, new Date())));
  await Promise.all(apps.map((app) => app.close()));

  expect(made.filter((one) => one !== null)).toHaveLength(1);
});

test('deleted analyses are purged by the chores as configured', async () => {
  const notices = Promise.withResolvers<object>();
  const app = await openApp(settingsIn(temporaryFolder(), { deletedRetentionDays: 0 }), {
    onNotice: (what, facts) => notices.resolve({ what, ...facts }),
  });
  const { tenant } = (await makeFirstTenant(app.core, new Date()))!;
  const caller = { principal: systemPrincipal, tenant };
  const { id } = await app.analyses.create(caller, createRequest());
  await app.analyses.remove(caller, id);

  app.operations.start();
  const notice = await notices.promise;
  await app.close();

  expect(notice).toEqual({ what: 'retention', deleted: 0, purged: 1, objects: 1, objectsLeft: 0 });
});

test('the head of each chain of the audit log is reported by a daily chore', async () => {
  const reported: object[] = [];
  const heads = Promise.withResolvers<void>();
  const app = await openApp(settingsIn(temporaryFolder()), {
    onNotice: (what, facts) => {
      if (what === 'audit-head') reported.push(facts);
      if (reported.length === 2) heads.resolve();
    },
  });
  const { tenant } = (await makeFirstTenant(app.core, new Date()))!;

  app.operations.start();
  await heads.promise;
  const expected = [await app.core.audit.head('service'), await app.core.audit.head(tenant.id)];
  await app.close();

  expect(reported).toEqual(expected);
  expect(expected.map(({ count }) => count)).toEqual([1, 2]);
});

test('an invalid webhook range stops the start', async () => {
  const settings = settingsIn(temporaryFolder(), { webhookAllow: '10.0.0.0/33' });

  await expect(openApp(settings)).rejects.toMatchObject({ code: 'config_invalid' });
});
