/** Opens a console in a browser for the tests of this folder. */

import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { openServer } from '../unit/server/open-server.ts';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Null if none is installed: the tests are then skipped and say how to get one. */
export const browserPath = places.find((place) => existsSync(place)) ?? null;

if (browserPath === null) {
  console.warn('The tests of the console need Chromium: apt-get install chromium.');
}

export interface Window {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser reported: violations of the page's policy and script errors. */
  readonly complaints: string[];
  /** Hosts that received requests. */
  readonly hosts: Set<string>;
}

export async function launch(): Promise<Browser> {
  if (browserPath === null) throw new TypeError('There is no browser.');
  return chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] });
}

export type OpenConsole = Awaited<ReturnType<typeof openConsole>>;

/** A server in this process without its worker, which has one tenant, `acme`, with a `manager` and a `viewer`. */
export async function openConsole(flags: Parameters<typeof openServer>[0] = {}) {
  const open = await openServer(flags);
  const listening = await open.server.listen({ host: '127.0.0.1', port: 0 });
  // Fastify does not know that its sockets use TLS.
  const url = listening.replace(/^http:/, 'https:');
  open.app.storage.setPublicUrl(new URL(url));
  const { tenant, secret } = await open.makeTenant('acme');
  await open.makeUser('manager', { tenants: [tenant], scopes: ['settings'] });
  await open.makeUser('viewer', { tenants: [tenant] });
  return { open, url, tenant, secret, close: () => open.close() };
}

export interface Look {
  readonly width?: number;
  readonly height?: number;
  readonly locale?: string;
  readonly isDark?: boolean;
}

export async function openWindow(browser: Browser, look: Look = {}): Promise<Window> {
  const { width = 1280, height = 900, locale = 'en-GB', isDark = false } = look;
  const context = await browser.newContext({
    ignoreHTTPSErrors: true,
    viewport: { width, height },
    locale,
    colorScheme: isDark ? 'dark' : 'light',
  });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  const hosts = new Set<string>();
  page.on('console', (message) => {
    if (/policy|trusted/i.test(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol !== 'blob:' && protocol !== 'data:') hosts.add(host);
  });
  return { page, context, complaints, hosts };
}

/** @returns opens a window. It is closed after the test, which fails if the browser complained about a page. */
export function useWindows(): (look?: Look) => Promise<Window> {
  const windows: Window[] = [];
  let browser: Browser;

  beforeAll(async () => {
    browser = await launch();
  });

  afterEach(async () => {
    const all = windows.splice(0);
    await Promise.all(all.map(({ context }) => context.close()));
    expect(all.flatMap(({ complaints }) => complaints)).toEqual([]);
  });

  afterAll(() => browser.close());

  return async (look) => {
    const opened = await openWindow(browser, look);
    windows.push(opened);
    return opened;
  };
}

export async function logIn(page: Page, url: string, email: string, password: string) {
  await page.goto(url);
  await page.locator('input[type=email]').fill(email);
  await page.locator('input[type=password]').fill(password);
  await page.locator('form .button.main').click();
  await page.locator('.frame').waitFor();
}

/** Opens the one-time link of `forensics serve`. */
export async function createFirstAccount(page: Page, link: string | null, password: string) {
  await page.goto(link!);
  await page.getByLabel('Your name').fill('Ada Berg');
  await page.getByLabel('Email address').fill('ada@example.org');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.locator('.frame').waitFor();
}

/** Gives files to the page, as if the user had dropped them on it. */
export async function chooseFiles(
  page: Page,
  files: readonly { readonly name: string; readonly bytes: Buffer }[],
): Promise<void> {
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles(
      files.map(({ name, bytes: buffer }) => ({ name, mimeType: 'image/jpeg', buffer })),
    );
}

/** Pixels by which the page is wider than its window. */
export async function overflow(page: Page): Promise<number> {
  return page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
}

/** Presses one key after the other. */
export async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}
