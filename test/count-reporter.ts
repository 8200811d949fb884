import { appendFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

/** Closes a run with `N passed, N failed`, which `.ci/run` adds up. A file that fails to load counts as a failure. */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandledErrors: ReadonlyArray<unknown>): void {
    let passed = 0;
    let failed = unhandledErrors.length;
    for (const module of modules) {
      if (module.errors().length > 0) failed += 1;
      for (const test of module.children.allTests()) {
        if (test.result().state === 'passed') passed += 1;
        if (test.result().state === 'failed') failed += 1;
      }
    }
    const line = `${passed} passed, ${failed} failed\n`;
    const { TEST_COUNTS } = process.env;
    if (TEST_COUNTS !== undefined) appendFileSync(TEST_COUNTS, line);
    // The default reporter prints its summary in the same hook; this line has to come after it.
    process.on('exit', () => process.stdout.write(`\n${line}`));
  }
}
