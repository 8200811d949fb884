/** Runs with every test file. Files share a worker, and its modules with it: what a file changed of the process ends with the file. */

import { afterAll, vi } from 'vitest';
import { dropDatabases } from './fixtures/postgres.ts';

afterAll(async () => {
  await dropDatabases();
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});
