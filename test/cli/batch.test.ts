import { expect, test } from 'vitest';
import { inOrder } from '../../src/cli/analyze/batch.ts';

const never = new AbortController().signal;

async function collect<T>(answers: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const answer of answers) all.push(answer);
  return all;
}

test('results keep the order of the items although the first takes longest', async () => {
  const finish: ((answer: string) => void)[] = [];
  const work = (n: number) => new Promise<string>((resolve) => (finish[n] = resolve));
  const answers = collect(inOrder([0, 1], { width: 2, signal: never }, work));
  await new Promise((resolve) => setImmediate(resolve));

  finish[1]!('second');
  finish[0]!('first');

  expect(await answers).toEqual(['first', 'second']);
});

test('at most `width` items run at a time, and all finish', async () => {
  let running = 0;
  let most = 0;
  const work = async (n: number) => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    return n;
  };
  const items = Array.from({ length: 50 }, (_, n) => n);

  expect(await collect(inOrder(items, { width: 3, signal: never }, work))).toEqual(items);
  expect(most).toBe(3);
});

test('no work starts after an abort', async () => {
  const controller = new AbortController();
  const begun: number[] = [];
  const work = async (n: number) => {
    begun.push(n);
    if (n === 1) controller.abort();
    return n;
  };

  await collect(inOrder([0, 1, 2, 3], { width: 1, signal: controller.signal }, work));

  expect(begun).toEqual([0, 1]);
});

test('few items are taken ahead while the first is still running', async () => {
  let taken = 0;
  const endless = function* () {
    for (;;) yield taken++;
  };
  const finish: (() => void)[] = [];
  const first = new Promise<void>((resolve) => finish.push(resolve));
  const work = (n: number) => (n === 0 ? first.then(() => n) : Promise.resolve(n));
  const answers = inOrder(endless(), { width: 3, signal: never }, work);

  const answer = answers.next();
  await new Promise((resolve) => setImmediate(resolve));
  const takenBefore = taken;
  finish[0]!();

  expect(await answer).toEqual({ done: false, value: 0 });
  expect(takenBefore).toBeGreaterThan(3);
  expect(takenBefore).toBeLessThan(30);
  await answers.return(undefined);
});

test('a result is yielded before the next item arrives', async () => {
  const controller = new AbortController();
  const slow = async function* () {
    yield 'here';
    await new Promise((resolve) => controller.signal.addEventListener('abort', resolve));
  };
  const how = { width: 2, signal: controller.signal };
  const answers = inOrder(slow(), how, async (item) => item);

  expect(await answers.next()).toEqual({ done: false, value: 'here' });
  controller.abort();
  expect(await answers.next()).toEqual({ done: true, value: undefined });
});

test('an error from the item source ends the batch after the running items', async () => {
  const answers = inOrder(failing(), { width: 4, signal: never }, async (item) => item);

  expect(await answers.next()).toEqual({ done: false, value: 1 });
  await expect(answers.next()).rejects.toThrow('no more');
});

async function* failing(): AsyncGenerator<number> {
  yield 1;
  throw new Error('no more');
}
