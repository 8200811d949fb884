/** The HTML report on a phone. */

import { describe, expect, test } from 'vitest';
import { languages } from '../../src/contract/vocabulary.ts';
import { drawHtml, full } from '../unit/present/full-report.ts';
import { browserPath, overflow, useWindows } from './browser.ts';

describe.skipIf(browserPath === null)('the HTML report at 390 pixels', () => {
  const openWindow = useWindows();

  test.each(languages)('%s: nothing is wider, and no word is broken', async (language) => {
    const { page } = await openWindow({ width: 390, height: 844 });
    await page.setContent(await drawHtml(full, language));
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
