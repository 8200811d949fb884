/** A console whose users have accounts at a real identity provider. */

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OidcServer, openProviderOf } from '../fixtures/oidc-server.ts';
import { type OpenServer, openServer } from '../unit/server/open-server.ts';
import { freePort } from '../fixtures/free-port.ts';
import { browserPath, useWindows } from './browser.ts';

const examiner = 'examiner@example.org';
const everywhere = (page: Page) => page.getByRole('button', { name: 'Log out on all devices' });

describe.skipIf(browserPath === null)('a console with an identity provider', () => {
  const openWindow = useWindows();
  let provider: OidcServer;
  let stop: () => Promise<void>;
  let open: OpenServer;
  let url: string;

  beforeAll(async () => {
    // The provider has to know the address before the server exists.
    const port = await freePort();
    url = `https://127.0.0.1:${port}`;
    const opened = await openProviderOf(examiner, `${url}/`);
    ({ provider, stop } = opened);
    open = await openServer({ flags: opened.flags });
    await open.server.listen({ host: '127.0.0.1', port });
    open.app.storage.setPublicUrl(new URL(url));
    await open.makeTenant('acme');
  });

  afterAll(async () => {
    await open.close();
    await stop();
  });

  test('a person logs in at the provider, returns to the wanted page, and stays logged in after a reload', async () => {
    const { page, hosts } = await openWindow();
    await page.goto(`${url}/#/usage`);
    await page.getByText(`Log in at ${new URL(provider.issuer).host}.`).waitFor();

    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    expect(page.url()).toBe(`${url}/#/usage`);
    await page.reload();
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    await page.goto(`${url}/#/account`);
    await page.getByText(examiner).first().waitFor();
    expect(await page.getByLabel('Current password').count()).toBe(0);
    await page.goto(`${url}/#/users`);
    await page.getByText('Accounts are managed by the identity provider.').waitFor();

    expect([...hosts].toSorted()).toEqual(
      [new URL(url).host, new URL(provider.issuer).host].toSorted(),
    );
  }, 60_000);

  async function openAccount(page: Page): Promise<void> {
    await page.goto(`${url}/#/account`);
    await page.getByRole('button', { name: 'Continue' }).click();
    await everywhere(page).waitFor();
  }

  test('a forged return opens no session and does not disturb one', async () => {
    const { page } = await openWindow();
    await page.goto(`${url}/?code=stolen&state=guessed`);
    await page.getByText('The identity provider refused the login.').waitFor();
    expect([page.url(), await page.locator('.frame').count()]).toEqual([`${url}/`, 0]);
    await openAccount(page);

    for (const what of ['code=stolen', 'error=access_denied']) {
      await page.goto(`${url}/?${what}&state=guessed`);
      await page.locator('.frame').waitFor();
      expect(page.url()).toBe(`${url}/`);
    }
  }, 60_000);

  test('logging out says when the provider fails, and on all devices works when repeated', async () => {
    const { page, context } = await openWindow();
    const fail = () => provider.responseWith((_request, response) => response.writeHead(500).end());
    await openAccount(page);
    const { accessToken } = await provider.logIn(examiner);
    const headers = { authorization: `Bearer ${accessToken}` };
    const useElsewhere = async () =>
      open.server.inject({ method: 'POST', url: '/v1/auth/info', headers });
    const before = await useElsewhere();

    fail();
    await everywhere(page).click();
    await page.getByText('try again later').waitFor();
    provider.responseWith(null);
    await everywhere(page).click();
    await page.getByText('You have been logged out.').waitFor();
    expect([before.statusCode, (await useElsewhere()).statusCode]).toEqual([200, 401]);

    // A login in the second in which all sessions ended would count as one of them.
    await page.waitForTimeout(1000);
    await page.getByRole('button', { name: 'Continue' }).click();
    await everywhere(page).waitFor();
    fail();
    await page.getByRole('button', { name: 'Log out', exact: true }).click();
    await page.getByText('try again later').last().waitFor();
    provider.responseWith(null);
    expect(await context.cookies(url)).toEqual([]);
  }, 60_000);

  test('without an id token, it is not reported that other devices were logged out', async () => {
    const { page } = await openWindow();
    await openAccount(page);
    await page.addInitScript(() => {
      const { json } = Response.prototype;
      const withoutIdToken = async function (this: Response): Promise<unknown> {
        const body = Object(await json.call(this));
        return this.url.endsWith('/refresh') ? { data: { ...body.data, idToken: '' } } : body;
      };
      Object.assign(Response.prototype, { json: withoutIdToken });
    });
    await page.reload();

    await everywhere(page).click();
    await page.getByRole('status').getByText('That did not work.').waitFor();

    expect(await page.locator('.frame').count()).toBe(1);
  }, 60_000);
});
