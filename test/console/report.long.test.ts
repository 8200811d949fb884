/** The HTML report on a phone. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { languages } from '../../src/contract/vocabulary.ts';
import { drawHtml, full } from '../unit/present/full-report.ts';
import { browserPath, overflow } from './browser.ts';
import { useWindows } from './windows.ts';

describe.skipIf(browserPath === null)('the HTML report at 390 pixels', () => {
  const openWindow = useWindows();
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'forensics-report-'));
  });

  afterAll(async () => {
    rmSync(folder, { recursive: true });
  });

  test.each(languages)('%s: nothing is wider, and no word is broken', async (language) => {
    const file = join(folder, `${language}.html`);
    writeFileSync(file, await drawHtml(full, language));
    const { page } = await openWindow({ width: 390, height: 844 });

    await page.goto(pathToFileURL(file).href);
    const heights = async () =>
      page.evaluate<readonly number[]>(
        `[...document.querySelectorAll('.rows th')].map((th) => th.offsetHeight)`,
      );
    expect(await overflow(page)).toBe(0);
    const before = await heights();
    // A broken word would take fewer lines once breaking is forbidden.
    await page.evaluate(`document.body.style.overflowWrap = 'normal'`);

    expect(await heights()).toEqual(before);
  });
});
