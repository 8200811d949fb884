/** A program that forgets to close its pool. It must exit nonetheless. */

import { createPool } from '../../../src/examiner/pool.ts';

const pool = createPool({
  entry: new URL('./pool-child.ts', import.meta.url),
  size: 1,
  taskTimeoutMs: 60_000,
  memoryLimitBytes: 1_000_000_000,
});
process.stdout.write(`${String(await pool.run({ pid: null }))}\n`);
