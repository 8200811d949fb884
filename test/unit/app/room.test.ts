import { EventEmitter, once } from 'node:events';
import { statfs } from 'node:fs/promises';
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

test('room that a run under way has reserved is not given to another, until it has ended', async () => {
  const { bavail, bsize } = await statfs(tmpdir());
  // Two such runs fit into no disk that one fits into, whatever other programs write meanwhile.
  const bytes = Math.floor(0.6 * bavail * bsize);
  let ran = 0;
  const end = new EventEmitter();
  const firstEnds = once(end, 'first');
  const handler = withRoom(tmpdir(), bytes, async () => {
    ran += 1;
    if (ran === 1) await firstEnds;
  });

  const first = handler(job, context);
  await expect(handler(job, context)).rejects.toMatchObject({ code: 'no_space_left' });
  end.emit('first');
  await first;
  await handler(job, context);

  expect(ran).toBe(2);
});
