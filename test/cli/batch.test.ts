import { expect, test } from 'vitest';
import { inOrder } from '../../src/cli/analyze/batch.ts';

const never = new AbortController().signal;

async function collect<T>(answers: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const answer of answers) all.push(answer);
  return all;
}

test('answers come in the order of the items although the first takes longest', async () => {
  const finish: ((answer: string) => void)[] = [];
  const work = (n: number) => new Promise<string>((resolve) => (finish[n] = resolve));
  const answers = collect(inOrder([0, 1], 2, work, never));

  finish[1]!('second');
  finish[0]!('first');

  expect(await answers).toEqual(['first', 'second']);
});

test('no more than the width is at work at a time, and all get done', async () => {
  let running = 0;
  let most = 0;
  const work = async (n: number) => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    return n;
  };
  const items = Array.from({ length: 50 }, (_, n) => n);

  expect(await collect(inOrder(items, 3, work, never))).toEqual(items);
  expect(most).toBe(3);
});

test('after the signal no further work begins', async () => {
  const controller = new AbortController();
  const begun: number[] = [];
  const work = async (n: number) => {
    begun.push(n);
    if (n === 1) controller.abort();
    return n;
  };

  await collect(inOrder([0, 1, 2, 3], 1, work, controller.signal));

  expect(begun).toEqual([0, 1]);
});
