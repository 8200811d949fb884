import { defineConfig } from 'vitest/config';

const long = '{bin,test}/**/*.long.test.ts';
const temporaryFolder = 'test/temporary-folder.ts';
const onPostgres = 'test/**/*.postgres.test.ts';

/** `npm run check` runs all but the long ones and those of PostgreSQL; `npm run check:long` (`--mode long`, `--mode postgres`) these, and more of what is generated. */
const selections = {
  test: {
    include: ['{bin,test}/**/*.test.ts'],
    exclude: [long, onPostgres],
    globalSetup: temporaryFolder,
  },
  /** What stands on the database, on PostgreSQL. */
  postgres: {
    include: [
      'test/contract/{identity-*,interface,service-local}.test.ts',
      'test/journeys/{access,audit,bundle,crash,default-storage,life,metrics}.test.ts',
      onPostgres,
      'test/unit/service/first-user.test.ts',
      'test/unit/service/analyses/{model.long,races,requests,retention,states,upgrades,view}.test.ts',
      'test/unit/service/{access,feedback,jobs,secrets,tenants,usage,webhooks}/**/*.test.ts',
      'test/unit/{ports/db,server}/**/*.test.ts',
      'test/walls/*.test.ts',
    ],
    // The handlers of the worker's tests end sooner than PostgreSQL hands out the next job.
    exclude: ['test/unit/service/jobs/worker.test.ts'],
    globalSetup: [temporaryFolder, 'test/postgres-setup.ts'],
  },
  long: {
    include: [long, 'test/contract/interface.test.ts'],
    globalSetup: temporaryFolder,
    env: { FORENSICS_TEST_REQUESTS: '5200' },
  },
};

export default defineConfig(({ mode }) => ({
  test: {
    root: new URL('..', import.meta.url).pathname,
    ...selections[mode === 'long' || mode === 'postgres' ? mode : 'test'],
    setupFiles: ['test/setup.ts'],
    // Two workers: the suite is meant to pass on a two-core machine without one file starving another.
    maxWorkers: 2,
    // What files import is loaded once a worker, not once a file: that was most of the time.
    isolate: false,
    testTimeout: 30_000,
    // A machine under load may need longer than the second that is the rule.
    expect: { poll: { timeout: 10_000 } },
    hookTimeout: 60_000,
    reporters: ['default', './test/count-reporter.ts'],
  },
}));
