import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { withRoom } from '../../../src/app/background.ts';

const job = { id: '1', kind: 'analysis.run', payload: null, owner: null, fence: 1 };
const context = { signal: new AbortController().signal };

test('a run begins only where the disk has room for what it writes, and again once it has', async () => {
  let runs = 0;
  const handler = async () => {
    runs += 1;
  };

  await expect(withRoom(tmpdir(), 2 ** 60, handler)(job, context)).rejects.toMatchObject({
    code: 'no_space_left',
    message: expect.stringContaining('make room'),
  });
  expect(runs).toBe(0);
  await withRoom(tmpdir(), 0, handler)(job, context);
  expect(runs).toBe(1);
});
