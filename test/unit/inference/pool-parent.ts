/**
 * A program that starts a child which never exits by itself, prints its process id, and waits to be
 * killed.
 */

import { createPool } from '../../../src/examiner/pool.ts';

const pool = createPool({
  entry: new URL('./pool-child.ts', import.meta.url),
  size: 1,
  taskTimeoutMs: 60_000,
  memoryLimitBytes: 1_000_000_000,
});
process.stdout.write(`${String(await pool.run({ pid: null }))}\n`);
await pool.run({ hang: null });
