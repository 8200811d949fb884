/** A browser for the tests of one file. */

import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { launch, type Look, openWindow, type Window } from './browser.ts';

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
