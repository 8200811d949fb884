/** The console of a real `forensics serve`, from first start to a verified bundle, and through a crash. */

import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newDataDir, type Ready, type ServeProcess, spawnServe } from '../journeys/serving.ts';
import { sceneJpeg } from '../fixtures/pictures.ts';
import { freePort } from '../fixtures/free-port.ts';
import {
  browserPath,
  chooseFiles,
  createFirstAccount,
  logIn,
  press,
  useWindows,
} from './browser.ts';

const email = 'ada@example.org';
const password = 'violet harbour 42 lanterns';
const dataDir = newDataDir();

describe.skipIf(browserPath === null)('the console of a server', () => {
  const openWindow = useWindows();
  let port: number;
  let serving: ServeProcess;
  let ready: Ready;

  const start = async (): Promise<void> => {
    const args = ['--json', '--data-dir', dataDir, '--port', String(port), '--workers', '1'];
    serving = spawnServe(args);
    const [line] = await once(createInterface({ input: serving.stdout }), 'line');
    ready = JSON.parse(String(line));
  };

  beforeAll(async () => {
    port = await freePort();
    await start();
  });

  afterAll(async () => {
    serving.kill('SIGTERM');
    await serving;
  });

  test('a new user gets from the first start to a report and a verified bundle', async () => {
    const { page, hosts } = await openWindow();
    await page.goto(ready.url);
    await page.getByText('There is no account yet').waitFor();

    await page.goto(ready.firstAccountUrl!);
    await page.reload();
    await createFirstAccount(page, ready.firstAccountUrl, password);
    await page.getByText('No analyses yet').waitFor();
    const bytes = await sceneJpeg({ width: 640, height: 480, seed: 7, quality: 90 });
    await chooseFiles(page, [{ name: 'scene.jpg', bytes }]);
    await page
      .locator('tbody .badge:is(.real, .fake, .uncertain, .abstain)')
      .waitFor({ timeout: 120_000 });
    await page.locator('tbody a', { hasText: 'scene.jpg' }).click();
    await page.getByRole('heading', { name: 'Findings, strongest first' }).waitFor();
    const headline = await page.locator('.verdict h2').innerText();
    await page.getByRole('button', { name: 'History' }).click();
    await page.getByText('Heatmaps and reports generated').waitFor();
    await page.getByRole('button', { name: 'Report and files' }).click();
    const save = async (name: string): Promise<Buffer> => {
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name }).click();
      return readFileSync(await (await download).path());
    };
    const report = await save('PDF report, German');
    const bundle = await save('Signed evidence bundle');
    await page.getByRole('link', { name: 'Verify a bundle' }).click();
    const choose = async (buffer: Buffer) =>
      page
        .locator('input[type=file]')
        .setInputFiles({ name: 'evidence.zip', mimeType: 'application/zip', buffer });
    await choose(bundle);
    await page.getByText('The bundle is intact, and this service signed it').waitFor();
    await choose(damaged(bundle));
    await page.getByText('The bundle is not intact').waitFor();

    expect(headline).not.toBe('');
    expect(report.subarray(0, 5).toString()).toBe('%PDF-');
    expect([...hosts]).toEqual([`127.0.0.1:${port}`]);
    await page.goto(ready.firstAccountUrl!);
    await page.reload();
    expect(await page.getByText('Create the first account').count()).toBe(0);
  }, 300_000);

  test('the heatmap can be moved, faded and switched, with two pictures in step', async () => {
    const { page } = await openWindow();
    await logIn(page, ready.url, email, password);
    await page.locator('tbody a').first().click();
    const plane = page.locator('.plane').first();
    const overlay = plane.locator('img').nth(1);
    await plane.locator('img').waitFor();
    const id = page.url().split('/').at(-1)!;
    const fitted = await plane.getAttribute('style');

    await page
      .getByLabel('Heatmap', { exact: true })
      .selectOption({ label: 'Heatmap: Unusual areas' });
    await page.getByLabel('Opacity').fill('20');
    await page.locator('.viewer').focus();
    await page.keyboard.press('+');
    await page.keyboard.press('ArrowRight');
    const style = await overlay.getAttribute('style');

    expect(style).toContain('opacity: 0.2');
    expect(await overlay.getAttribute('src')).toContain('anomaly');
    expect(await plane.getAttribute('style')).not.toBe(fitted);
    await page.keyboard.press('l');
    const loupe = page.locator('.loupe');
    const before = await loupe.getAttribute('style');
    await page.keyboard.press('ArrowDown');
    expect(await loupe.getAttribute('style')).not.toBe(before);

    await page.goto(`${ready.url}/#/analysis/${id}?with=${id}`);
    await page.locator('.viewer').nth(1).waitFor();
    await page.locator('.viewer').first().focus();
    await press(page, '+', '+', 'ArrowLeft');
    const [one, other] = await Promise.all(
      [0, 1].map((at) => page.locator('.plane').nth(at).getAttribute('style')),
    );
    expect(one).toBe(other);
    expect(one).not.toBe(fitted);
  });

  test('a mirrored part of an earlier picture is recognised and overlaid on it', async () => {
    const { page } = await openWindow();
    await logIn(page, ready.url, email, password);
    const original = await sceneJpeg({ width: 640, height: 480, seed: 7, quality: 90 });
    const part = { left: 96, top: 48, width: 480, height: 360 };
    const patch = { left: 320, top: 192, width: 96, height: 72 };
    const camera = { IFD2: { BodySerialNumber: '012345678' } };
    const input = await sharp({ create: { ...patch, channels: 3, background: '#c33' } })
      .png()
      .toBuffer();
    const changed = sharp(original).composite([{ input, left: patch.left, top: patch.top }]);
    const copy = await sharp(await changed.png().toBuffer())
      .extract(part)
      .flop()
      .withExif(camera)
      .jpeg({ quality: 60 })
      .toBuffer();
    const next = await sceneJpeg({ width: 320, height: 240, seed: 8 });
    const beside = await sharp(next).withExif(camera).jpeg().toBuffer();

    await page.locator('summary', { hasText: 'Options' }).click();
    await page.getByLabel('Case', { exact: true }).fill('4711');
    await chooseFiles(page, [
      { name: 'copy.jpg', bytes: copy },
      { name: 'beside.jpg', bytes: beside },
    ]);
    await page.locator('tbody tr', { hasText: 'beside.jpg' }).locator('.badge').waitFor();
    await page.locator('tbody tr', { hasText: 'copy.jpg' }).locator('.badge').waitFor();
    await page.locator('tbody a', { hasText: 'copy.jpg' }).click();
    const line = page.locator('.reasons .notice');
    await line.waitFor({ timeout: 60_000 });
    expect(await line.innerText()).toMatch(/^Seen before: scene\.jpg, .*, mirrored/);
    await line.getByRole('link', { name: 'Compare' }).click();
    await page.getByText('The framed parts differ.').waitFor();
    const frames = page.locator('.viewer .box');
    expect(await frames.count()).toBe(2);
    const [left, top] = await Promise.all(
      ['left', 'top'].map((side) =>
        frames.first().evaluate((box, name) => parseFloat(Object(box).style[name]), side),
      ),
    );
    expect(Math.abs(Number(left) - patch.left) + Math.abs(Number(top) - patch.top)).toBeLessThan(
      20,
    );
    await page.getByRole('button', { name: 'Flicker' }).click();
    const images = page.locator('.plane img');
    await expect.poll(async () => images.nth(1).getAttribute('style')).toContain('scale(-');
    const [whole, above] = await Promise.all([0, 1].map((at) => images.nth(at).boundingBox()));
    expect((above!.x - whole!.x) / whole!.width).toBeCloseTo(part.left / 640, 1);
    expect(above!.width / whole!.width).toBeCloseTo(part.width / 640, 1);
    await page.goto(`${ready.url}/#/case/4711`);
    await page
      .getByText(/^2 pictures: .*; 2 from one camera, 1 seen outside this case\.$/)
      .waitFor();
    await page.locator('tbody .thumbnail').nth(1).waitFor();
  }, 120_000);

  test('pictures are reviewed by keyboard, each with the essentials on its first screen', async () => {
    const { page } = await openWindow({ width: 1280, height: 800 });
    await logIn(page, ready.url, email, password);
    await page.locator('tbody tr').nth(1).waitFor();

    await press(page, 'n', 'n', 'p', 'Enter');
    await page.getByText('1 of 3').waitFor();
    await press(page, 'c');
    await page.locator('dialog input:focus').waitFor();
    await page.keyboard.type('looked at');
    await press(page, 'Enter');
    await page.locator('.prose', { hasText: 'looked at' }).waitFor();
    await press(page, 'n');
    await page.getByText('2 of 3').waitFor();
    await press(page, 'n');
    await page.locator('h1', { hasText: 'scene.jpg' }).waitFor();
    const tabs = await page.getByRole('group', { name: 'More about this picture' }).boundingBox();
    await page.setViewportSize({ width: 390, height: 844 });
    const onPhone = ['.verdict h2', '.picture .viewer', '.reasons'].map(async (each) => {
      const box = await page.locator(each).boundingBox();
      return box!.y;
    });
    const tops = await Promise.all(onPhone);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'File and origin' }).press('Enter');
    await press(page, '?');
    await page.getByLabel('Use these keys').press(' ');
    await press(page, 'Escape', 'p');

    expect(tabs!.y + tabs!.height).toBeLessThanOrEqual(800);
    expect(tops).toEqual(tops.toSorted((a, b) => a - b));
    expect(tops.at(-1)).toBeLessThan(844);
    expect(await page.locator('h1').innerText()).toBe('scene.jpg');
    expect(page.url()).toMatch(/\?tab=origin$/);
  });

  test('uploads complete although the server is killed and restarted', async () => {
    const { page, context } = await openWindow();
    await logIn(page, ready.url, email, password);
    const network = await context.newCDPSession(page);
    await network.send('Network.enable');
    const bytes = await sceneJpeg({ width: 1600, height: 1200, seed: 9, quality: 95 });
    const slow = { offline: false, latency: 5, downloadThroughput: -1 };
    await network.send('Network.emulateNetworkConditions', {
      ...slow,
      uploadThroughput: bytes.length / 2,
    });
    await page.locator('summary', { hasText: 'Options' }).click();
    await page.getByLabel('Tier', { exact: true }).selectOption('flagging');

    await chooseFiles(
      page,
      Array.from({ length: 5 }, (_, at) => ({ name: `way${at}.jpg`, bytes })),
    );
    await page.locator('.transfers progress').first().waitFor();
    const canClose = "dispatchEvent(new Event('beforeunload', { cancelable: true }))";
    expect(await page.evaluate(canClose)).toBe(false);
    await setTimeout(1500);
    serving.kill('SIGKILL');
    await serving;
    await page.getByText('The server is not responding').first().waitFor();
    await network.send('Network.emulateNetworkConditions', { ...slow, uploadThroughput: -1 });
    await start();

    await page.getByText('5 of 5 sent').waitFor({ timeout: 60_000 });
    await expect.poll(() => page.locator('tbody tr', { hasText: 'way' }).count()).toBe(5);
    expect(await page.evaluate(canClose)).toBe(true);
  }, 120_000);
});

function damaged(bundle: Buffer): Buffer {
  const copy = Buffer.from(bundle);
  const at = Math.floor(copy.length / 2);
  copy[at] = copy[at]! ^ 0xff;
  return copy;
}
