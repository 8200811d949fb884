/** A tenant's own store: set up in the browser, which then uploads to it directly. */

import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newFolder } from '../fixtures/folder.ts';
import { sceneJpeg } from '../fixtures/pictures.ts';
import { newDataDir, type ServeProcess, spawnServe } from '../journeys/serving.ts';
import { type Azurite, startAzurite } from '../unit/ports/storage/azurite.ts';
import { bucket, type S3Server, startS3Server } from '../fixtures/s3-server.ts';
import { freePort } from '../fixtures/free-port.ts';
import { browserPath, chooseFiles, createFirstAccount, useWindows } from './browser.ts';

const password = 'violet harbour 42 lanterns';

describe.skipIf(browserPath === null)('a console with a store elsewhere', () => {
  const openWindow = useWindows();
  let azurite: Azurite;
  let s3: S3Server;
  let serving: ServeProcess;
  let firstAccountUrl: string;
  let url: string;
  const dataDir = newDataDir();
  const folder = newFolder();

  beforeAll(async () => {
    [azurite, s3] = await Promise.all([
      startAzurite(),
      startS3Server({ useSSL: true, corsOrigins: ['https://127.0.0.1:*'] }),
    ]);
    const ca = join(folder, 'ca.pem');
    writeFileSync(ca, azurite.ca + s3.ca);
    // The stores are told the address, so the server must not choose a port itself.
    const args = [
      '--json',
      '--data-dir',
      dataDir,
      '--port',
      `${await freePort()}`,
      '--workers',
      '1',
    ];
    serving = spawnServe(args, { NODE_EXTRA_CA_CERTS: ca, FORENSICS_STORAGE_ALLOW: '127.0.0.0/8' });
    const [line] = await once(createInterface({ input: serving.stdout }), 'line');
    ({ url, firstAccountUrl } = JSON.parse(String(line)));
  });

  afterAll(async () => {
    serving.kill('SIGTERM');
    await serving;
    await Promise.all([azurite.close(), s3.close()]);
  });

  test('a store is set up and tested; another replaces it, and the pictures of both stay visible', async () => {
    const { page, hosts } = await openWindow();
    await createFirstAccount(page, firstAccountUrl, password);
    const fill = async (fields: Readonly<Record<string, string>>) => {
      for (const [label, text] of Object.entries(fields)) await page.getByLabel(label).fill(text);
      await page.getByRole('button', { name: 'Test and save' }).click();
    };
    await page.goto(`${url}/#/tenant`);
    await page.getByLabel('Storage').selectOption('azure');
    await fill({ Container: 'evidence', 'Connection string': 'AccountName=wrong' });
    await page.locator('form [role=alert]').waitFor();
    await fill({ 'Connection string': azurite.connectionString });
    await page.getByText('The storage works and has been saved.').waitFor();
    expect(await sendAndLook(page, 'azure.jpg')).toContain(320);

    await page.goto(`${url}/#/tenant`);
    const { accessKeyId, secretAccessKey } = s3.s3Config();
    await page.getByLabel('Storage').selectOption('s3');
    await fill({
      Host: '127.0.0.1',
      Port: String(s3.port),
      Bucket: bucket,
      Region: 'us-east-1',
      'Access key id': accessKeyId,
      'Secret access key': secretAccessKey,
    });
    await page.getByText('The storage works and has been saved.').waitFor();
    expect(await sendAndLook(page, 's3.jpg')).toContain(320);
    await page.getByRole('link', { name: 'Analyses', exact: true }).click();
    await page.locator('tbody a', { hasText: 'azure.jpg' }).click();
    expect(await widthsOf(page)).toContain(320);

    const { BlobEndpoint } = Object.fromEntries(
      azurite.connectionString.split(';').map((part) => part.split(/=(.*)/s).slice(0, 2)),
    );
    const stores = [new URL(BlobEndpoint).host, `127.0.0.1:${s3.port}`];
    expect([...hosts].toSorted()).toEqual([new URL(url).host, ...stores].toSorted());
    expect(s3.objects().length).toBeGreaterThan(1);
  }, 360_000);
});

/** The widths of the pictures on the page of a picture that was sent and examined. */
async function sendAndLook(page: Page, name: string): Promise<readonly number[]> {
  await page.getByRole('link', { name: 'Analyses', exact: true }).click();
  const bytes = await sceneJpeg({ width: 320, height: 240, seed: 7, quality: 90 });
  await chooseFiles(page, [{ name, bytes }]);
  await page.getByText('1 of 1 sent').waitFor();
  const row = page.locator('tbody tr', { hasText: name });
  await row.locator('.badge:is(.real, .fake, .uncertain, .abstain)').waitFor({ timeout: 120_000 });
  await row.locator('a').click();
  return widthsOf(page);
}

async function widthsOf(page: Page): Promise<readonly number[]> {
  await page.locator('.plane img').first().waitFor();
  return page.evaluate(`Promise.all([...document.querySelectorAll('.plane img')].map((image) =>
    image.decode().then(() => image.naturalWidth)))`);
}
