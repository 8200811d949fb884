import { defineConfig } from 'vitest/config';
import { isBuilt } from './built.ts';

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
  /** On PostgreSQL: the contract, what can race, a journey of each kind, and what is PostgreSQL's own. */
  postgres: {
    include: [
      onPostgres,
      'test/contract/{identity-embedded,interface}.test.ts',
      'test/journeys/{crash,life}.test.ts',
      'test/unit/ports/db/{database,idempotency}.test.ts',
      'test/unit/service/first-run.test.ts',
      'test/unit/service/access/{keys,login-attempts,users}.test.ts',
      'test/unit/service/analyses/{description,model,races,requests,retention,seen-before,states}.test.ts',
      'test/unit/service/audit/append.test.ts',
      'test/unit/service/feedback/feedback.test.ts',
      'test/unit/service/jobs/queue.test.ts',
      'test/unit/service/tenants/delete-tenant.test.ts',
      'test/unit/service/usage/usage-report.test.ts',
      'test/unit/service/webhooks/deliverer.test.ts',
      'test/walls/*.test.ts',
    ],
    globalSetup: [temporaryFolder, 'test/postgres-setup.ts'],
  },
  long: {
    include: [
      long,
      'test/contract/interface.test.ts',
      'test/unit/evidence/verify.test.ts',
      'test/unit/service/analyses/model.test.ts',
    ],
    globalSetup: temporaryFolder,
    env: {
      FORENSICS_TEST_REQUESTS: '5200',
      FORENSICS_TEST_BITS: 'every',
      FORENSICS_TEST_SEQUENCES: '300',
    },
  },
};

const sandbox = new URL('../src/examiner/sandbox.ts', import.meta.url).pathname;

/** After `npm run build`, the children that examine pictures start from `dist`, as those of users do. */
const builtChildren = {
  name: 'built-children',
  enforce: 'pre' as const,
  transform: (code: string, id: string) =>
    id === sandbox && isBuilt ? code.replaceAll('import.meta.url', JSON.stringify(built)) : null,
};
const built = new URL('../dist/examiner/sandbox.js', import.meta.url).href;

export default defineConfig(({ mode }) => ({
  plugins: [builtChildren],
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
