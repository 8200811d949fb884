/**
 * The images for the manual's page on the console, of drawn pictures: a claim of eight with one
 * sent before and one changed, and a newsroom's picture with two older copies, taken in a browser
 * as a user would see them. Needs Chromium and `npm run build`.
 */

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp, { type Sharp } from 'sharp';
import { chooseFiles, createFirstAccount, launch, openWindow } from '../../test/console/browser.ts';
import { newDataDir, startServing } from '../../test/journeys/serving.ts';
import { landscapePng } from './landscape.ts';
import { root } from './manual.ts';

const longestMs = 600_000;
/** Widths of the window and of the image. */
const [windowWidth, imageWidth] = [1280, 960];
const size = { width: 1200, height: 900 };

export async function drawConsoleImages(): Promise<void> {
  const dataDir = newDataDir();
  const serving = await startServing(dataDir);
  const browser = await launch();
  try {
    const { page } = await openWindow(browser, { width: windowWidth, height: 800 });
    page.setDefaultTimeout(longestMs);
    await createFirstAccount(page, serving.ready.firstAccountUrl, 'correct harbour 17 staple');
    await examineClaim(page, serving.ready.url);
    await examineNews(page, serving.ready.url);
  } finally {
    await browser.close();
    await serving.end('SIGTERM');
    rmSync(dataDir, { recursive: true });
  }
}

async function examineClaim(page: Page, url: string): Promise<void> {
  const hillside = await landscapePng({ ...size, seed: 100 });
  await drop(page, `${url}/#/case/4099`, { 'hillside.jpg': await toJpeg(sharp(hillside)) });
  const names = ['slope', 'ridge', 'track', 'meadow', 'terrace', 'stream'];
  const plain = names.map(async (name, at) => {
    const picture = await landscapePng({ ...size, seed: 201 + at });
    return [`${name}.jpg`, await toJpeg(sharp(picture))] as const;
  });
  const part = { left: 100, top: 60, width: 900, height: 700 };
  await drop(page, `${url}/#/case/4711`, {
    ...Object.fromEntries(await Promise.all(plain)),
    'landslide.jpg': await toJpeg(sharp(hillside).flop().extract(part)),
    'rockfall.jpg': await withCopiedPart(await landscapePng({ ...size, seed: 301 })),
  });
  await page.getByText('1 seen outside this case').waitFor();
  await page.reload();
  await page.getByText('1 seen outside this case').waitFor();
  await save(page, 'claim');
  await page.locator('tbody a', { hasText: 'rockfall.jpg' }).click();
  await page.locator('.mark .number').first().click();
  await save(page, 'console');
}

async function examineNews(page: Page, url: string): Promise<void> {
  const harbour = await landscapePng({ ...size, seed: 402 });
  const part = { left: 150, top: 80, width: 950, height: 760 };
  const older = { 'agency.jpg': await toJpeg(sharp(harbour)) };
  const crop = { 'forum.jpg': await toJpeg(sharp(harbour).extract(part)) };
  const sent = { 'reader.jpg': await withCopiedPart(harbour) };
  for (const files of [older, crop, sent]) {
    // oxlint-disable-next-line no-await-in-loop -- each is older than the next
    await drop(page, `${url}/#/case/harbour`, files);
  }
  await page.reload();
  await page.locator('tbody a', { hasText: 'reader.jpg' }).first().click();
  const lines = page.locator('.reasons .notice p');
  await lines.nth(1).waitFor();
  await lines.filter({ hasText: 'agency.jpg' }).getByRole('link', { name: 'Compare' }).click();
  await page.getByText('The framed parts differ.').waitFor();
  await save(page, 'newsroom');
}

/** Waits until all dropped files are examined. */
async function drop(page: Page, place: string, files: Readonly<Record<string, Buffer>>) {
  await page.goto(place);
  await page.getByRole('heading', { name: `Case ${place.split('/').at(-1)}` }).waitFor();
  const all = Object.entries(files).map(([name, bytes]) => ({ name, bytes }));
  await chooseFiles(page, all);
  const progress = page.getByText(`${all.length} of ${all.length} examined`);
  await progress.waitFor();
  await page.getByRole('button', { name: 'Clear the list' }).click();
  // The page redraws a moment later. The next drop would take this progress for its own, and a
  // reload would then cut off its upload.
  await progress.waitFor({ state: 'hidden' });
}

async function withCopiedPart(picture: Buffer): Promise<Buffer> {
  const part = { left: 150, top: 480, width: 260, height: 200 };
  const copied = await sharp(picture).extract(part).png().toBuffer();
  return toJpeg(sharp(picture).composite([{ input: copied, left: 760, top: 560 }]));
}

async function toJpeg(picture: Sharp): Promise<Buffer> {
  return picture.jpeg({ quality: 92 }).toBuffer();
}

async function save(page: Page, name: string): Promise<void> {
  await page.waitForLoadState('networkidle');
  // Until the last pictures are drawn.
  await page.waitForTimeout(1000);
  const image = sharp(await page.screenshot()).resize({ width: imageWidth });
  const path = join(root, 'src/manual/images', `${name}.png`);
  writeFileSync(path, await image.png({ palette: true, colours: 64 }).toBuffer());
}
