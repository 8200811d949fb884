/** How pictures reach a page other than by file dialog: pasted from the clipboard, or dropped as folders. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drawScene, fromScene } from '../fixtures/pictures.ts';
import { password } from '../unit/server/open-server.ts';
import { browserPath, chooseFiles, logIn, type OpenConsole, openConsole } from './browser.ts';
import { useWindows } from './windows.ts';

describe.skipIf(browserPath === null)('pictures arrive in a browser', () => {
  let opened: OpenConsole;
  const openWindow = useWindows();
  let url: string;

  beforeAll(async () => {
    opened = await openConsole({ flags: { intake: 'everything' } });
    ({ url } = opened);
  });

  afterAll(() => opened.close());

  const enter = async (page: Page) => logIn(page, url, 'viewer@example.org', password);

  test('a picture is pasted from the clipboard', async () => {
    const { page, context } = await openWindow();
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url });
    await enter(page);
    const png = await picture(160, 120).png().toBuffer();
    await page.evaluate(copyPng, png.toString('base64'));

    await page.keyboard.press('Control+V');
    await page.getByText('1 of 1 sent').waitFor();

    await page.locator('tbody tr').first().waitFor();
    expect(await page.locator('tbody tr').count()).toBe(1);
  });

  test('a folder is dropped with all its contents except hidden files', async () => {
    const { page } = await openWindow();
    await enter(page);
    const folder = mkdtempSync(join(tmpdir(), 'forensics-dropped-'));
    const inner = join(folder, 'second day');
    mkdirSync(inner);
    const jpeg = await picture(200, 150).jpeg().toBuffer();
    writeFileSync(join(folder, 'one.jpg'), jpeg);
    writeFileSync(join(inner, 'two.jpg'), jpeg);
    writeFileSync(join(inner, 'notes.txt'), 'no picture');
    writeFileSync(join(inner, '.hidden.jpg'), jpeg);

    await drop(page, folder);
    await page.getByText('2 of 3 sent · 1 refused').waitFor();

    await page.locator('tbody a', { hasText: 'one' }).waitFor();
    await page.locator('tbody a', { hasText: 'two' }).waitFor();
    expect(await page.locator('.transfers li').first().innerText()).toContain('notes.txt');
    rmSync(folder, { recursive: true });
  });

  test('a picture above 4,096 pixels is accepted if the server allows it, and the page states the limit', async () => {
    const { page } = await openWindow();
    await enter(page);
    await page.getByText('up to 50 MB and 16,384 pixels a side').waitFor();
    const [fits, exceeds] = [picture(5000, 80), picture(16_400, 80)];

    await chooseFiles(page, [
      { name: 'fits.jpg', bytes: await fits.jpeg().toBuffer() },
      { name: 'exceeds.jpg', bytes: await exceeds.jpeg().toBuffer() },
    ]);
    await page.getByText('1 of 2 sent · 1 refused').waitFor();

    const refused = await page.locator('.transfers li').first().innerText();
    expect(refused).toContain('exceeds.jpg');
    expect(refused).toContain('each side may be at most 16,384 pixels');
  });
});

function picture(width: number, height: number) {
  return fromScene(drawScene({ width: 160, height: 120, seed: 5 })).resize(width, height, {
    fit: 'fill',
  });
}

/** Drops a folder as a user would: the browser itself opens it. */
async function drop(page: Page, path: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', { type, x: 600, y: 200, data });
  }
}

const copyPng = async (base64: string): Promise<void> => {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const { ClipboardItem, navigator } = Object(globalThis);
  const item = new ClipboardItem({ 'image/png': new Blob([bytes], { type: 'image/png' }) });
  await navigator.clipboard.write([item]);
};
