import { defineConfig } from 'vitest/config';

const long = 'test/**/*.long.test.ts';

/** `npm run check` runs all but the long ones; `npm run check:long` (`--mode long`) those, and more of what is generated. */
const selections = {
  test: { include: ['test/**/*.test.ts'], exclude: [long] },
  long: {
    include: [long, 'test/contract/interface.test.ts'],
    env: { FORENSICS_TEST_REQUESTS: '5200' },
  },
};

export default defineConfig(({ mode }) => ({
  test: {
    root: new URL('..', import.meta.url).pathname,
    ...selections[mode === 'long' ? 'long' : 'test'],
    setupFiles: ['test/setup.ts'],
    // Two workers: the suite is meant to pass on a two-core machine without one file starving another.
    maxWorkers: 2,
    // What files import is loaded once a worker, not once a file: that was most of the time.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: ['default', './test/count-reporter.ts'],
  },
}));
