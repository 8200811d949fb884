import { afterAll } from 'vitest';
import type { Pool } from '../../../src/examiner/pool.ts';
import { createChildren } from '../../../src/examiner/sandbox.ts';

/** One child for all sandboxes of a file, so that it starts and opens its networks once. They cannot close it. */
export function warmChildren(): Pool {
  const pool = createChildren({ poolSize: 1 });
  afterAll(() => pool.close());
  return { ...pool, close: async () => undefined };
}
