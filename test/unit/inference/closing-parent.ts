/** A program that closes its pool and waits, while the child's output stream is still open. */

import { createPool } from '../../../src/examiner/pool.ts';

const pool = createPool({
  entry: new URL('./pool-child.ts', import.meta.url),
  size: 1,
  taskTimeoutMs: 60_000,
  memoryLimitBytes: 1_000_000_000,
});
await pool.run({ leave: null });
await pool.close();
process.stdout.write('closed');
