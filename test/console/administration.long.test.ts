/** Users, legal holds, audit log and webhook: what a person with the scope settings does with them in a browser. */

import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { draft, type OpenServer, password } from '../unit/server/open-server.ts';
import { startReceiver } from '../unit/service/webhooks/receiver.ts';
import { browserPath, logIn, type OpenConsole, openConsole, useWindows } from './browser.ts';

const fresh = 'walnut ribbon quartz 77 lamps';

describe.skipIf(browserPath === null)('administration in a browser', () => {
  let opened: OpenConsole;
  const openWindow = useWindows();
  let open: OpenServer;
  let url: string;
  let secret: string;

  beforeAll(async () => {
    opened = await openConsole({ flags: { webhookAllow: '127.0.0.0/8' } });
    ({ open, url, secret } = opened);
  });

  afterAll(() => opened.close());

  const enter = async (page: Page, place: string) => {
    await logIn(page, url, 'manager@example.org', password);
    await page.goto(`${url}/#/${place}`);
    await page.locator('h1').waitFor();
  };

  test('a user is added, logs in, gets the right to change settings, and is disabled', async () => {
    const { page } = await openWindow();
    await enter(page, 'users');
    const row = page.locator('tbody tr', { hasText: 'ada@example.org' });

    await page.getByRole('button', { name: 'Add a user' }).click();
    await page.getByLabel('Email address').fill('ada@example.org');
    await page.getByLabel('Name', { exact: true }).fill('<b>Ada</b>');
    await page.getByLabel('Password').fill('password1234');
    await page.locator('dialog .button.main').click();
    await page.locator('dialog [role=alert]').waitFor();
    await page.getByLabel('Password').fill(fresh);
    await page.locator('dialog .button.main').click();
    await row.getByText('can analyse and view').waitFor();
    expect(await row.locator('bdi').first().innerText()).toBe('<b>Ada</b>');
    const other = await openWindow();
    await logIn(other.page, url, 'ada@example.org', fresh);

    await row.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Can change settings, keys and users').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await row.getByText('can change settings').waitFor();
    await row.getByRole('button', { name: 'Disable' }).click();
    await page.locator('dialog').getByRole('button', { name: 'Disable' }).click();
    await row.getByText('Disabled').waitFor();
    await other.page.reload();
    await other.page.locator('input[type=password]').waitFor();
    await row.getByRole('button', { name: 'Enable' }).click();
    await row.getByText('Active').waitFor();

    const own = page.locator('tbody tr', { hasText: 'manager@example.org' });
    expect(await own.getByRole('button').count()).toBe(0);
  }, 60_000);

  test('new analyses begin with the options that the tenant has set', async () => {
    const { page } = await openWindow();
    await enter(page, 'tenant');
    const panel = page.locator('section', { hasText: 'New analyses' });
    await panel.getByLabel('Tier').selectOption('flagging');
    await panel.getByLabel('Decision strategy').selectOption('pedantic');
    await panel.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();

    await page.goto(`${url}/#/analyses`);
    const options = page.locator('main details');
    await options.getByText('Options: Verdict only').click();

    expect(await options.getByLabel('Tier', { exact: true }).inputValue()).toBe('flagging');
    expect(await options.getByLabel('Decision strategy').inputValue()).toBe('pedantic');
  });

  test('a legal hold is placed on an analysis, listed and lifted; that of the operator stays', async () => {
    const headers = { authorization: `ApiKey ${secret}` };
    const send = { method: 'POST', url: '/v1/analysis', headers, payload: draft } as const;
    const created = (await open.server.inject(send)).json<{ data: [{ id: string }] }>();
    const [{ id }] = created.data;
    const { page } = await openWindow();
    await enter(page, `analysis/${id}?tab=record`);

    await page.getByRole('button', { name: 'Place a legal hold' }).click();
    await page.getByLabel('Reason').fill('<i>file 12/26</i>');
    await page.locator('dialog .button.main').click();
    await page.getByText('The hold has been placed.').waitFor();
    await page.goto(`${url}/#/holds`);
    const row = page.locator('tbody tr', { has: page.getByTitle(id) });
    await row.waitFor();
    expect(await row.locator('bdi').allInnerTexts()).toEqual([
      draft.name,
      '<i>file 12/26</i>',
      'manager',
    ]);
    await row.getByRole('button', { name: 'Lift' }).click();
    await page.locator('dialog .button.danger').click();
    await page.getByText('No legal holds.').waitFor();

    const tenant = await open.app.core.tenants.byName('acme');
    const held = { tenantId: tenant?.id ?? '', analysisId: null };
    await open.app.core.holds.add({ ...held, reason: 'order of the court' });
    await page.reload();
    await page.getByText('order of the court').waitFor();
    expect(await page.getByRole('button', { name: 'Lift' }).count()).toBe(0);
    await open.app.core.holds.remove(held);
  });

  test('the audit log is filtered and saved', async () => {
    const { page } = await openWindow();
    await enter(page, 'audit');
    await page.locator('tbody tr', { hasText: 'User added' }).first().waitFor();
    await page.getByLabel('Type').selectOption('key');
    await page.locator('tbody tr', { hasText: 'Key created' }).waitFor();
    expect(await page.locator('tbody tr', { hasText: 'User added' }).count()).toBe(0);
    await page.getByLabel('From').fill('2001-01-01');
    await page.getByLabel('To', { exact: true }).fill('2001-01-02');
    await page.getByText('Nothing matches these filters.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export all (CSV)' }).click();
    const text = await readFile(await (await download).path(), 'utf8');

    expect(text).toContain('key.created');
  }, 60_000);

  test('a webhook is tried out', async () => {
    const receiver = await startReceiver();
    const tenant = (await open.app.core.tenants.byName('acme'))!;
    const { page } = await openWindow();
    await open.app.core.tenants.update(tenant.id, { webhookUrl: receiver.url });
    await enter(page, 'tenant');

    await page.getByRole('button', { name: 'Send a test message' }).click();
    await page.getByText(/The receiver accepted it \(HTTP 200, \d+ ms\)\./).waitFor();

    expect(receiver.calls.map(({ headers }) => headers['webhook-event'])).toEqual(['test']);
  });
});
