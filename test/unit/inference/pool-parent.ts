/**
 * Programs with a pool, by their argument: `hang` prints the process id of a child that never exits by itself, and waits
 * to be killed; `forget` does not close its pool; `close` does, while the child's output stream is still open.
 */

import { createPool } from '../../../src/examiner/pool.ts';

const act = process.argv[2];
const pool = createPool({
  entry: new URL('./pool-child.ts', import.meta.url),
  size: 1,
  taskTimeoutMs: 60_000,
  memoryLimitBytes: 1_000_000_000,
  execArgv: process.execArgv,
});
if (act === 'close') {
  await pool.run({ leave: null });
  await pool.close();
  process.stdout.write('closed');
} else {
  process.stdout.write(`${String(await pool.run({ pid: null }))}\n`);
  if (act === 'hang') await pool.run({ hang: null });
}
