/** A running server for all tests of one file. */

import { afterAll, beforeAll } from 'vitest';
import { clientOf, newDataDir, type Serving, startServing } from './serving.ts';

/**
 * Starts a server before the tests and stops it after them.
 *
 * @returns its data folder and, while it runs, its first output, requests without a key, and a client of its tenant.
 */
export function useServing(environment: Readonly<Record<string, string>> = {}) {
  const dataDir = newDataDir();
  let serving: Serving;
  beforeAll(async () => {
    serving = await startServing(dataDir, environment);
  });
  afterAll(() => serving.end('SIGTERM'));
  return {
    dataDir,
    get ready() {
      return serving.ready;
    },
    get ask() {
      return serving.ask;
    },
    get client() {
      return clientOf(serving, 'default', serving.ready.apiKey ?? '');
    },
  };
}
