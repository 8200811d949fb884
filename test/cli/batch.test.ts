import { expect, test } from 'vitest';
import { emptySummary, exitCodeOf, inOrder, withRecord } from '../../src/cli/analyze/batch.ts';
import type { FailOn } from '../../src/cli/options.ts';
import type { ErrorCode } from '../../src/contract/errors.ts';
import type { ResultClass } from '../../src/contract/vocabulary.ts';

const never = new AbortController().signal;

test('results keep the order of the items although the first takes longest', async () => {
  const finish: ((answer: string) => void)[] = [];
  const work = (n: number) => new Promise<string>((resolve) => (finish[n] = resolve));
  const answers = Array.fromAsync(inOrder([0, 1], { width: 2, signal: never }, work));
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

  expect(await Array.fromAsync(inOrder(items, { width: 3, signal: never }, work))).toEqual(items);
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

  await Array.fromAsync(inOrder([0, 1, 2, 3], { width: 1, signal: controller.signal }, work));

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

type End = Parameters<typeof withRecord>[1];
const open: End = { file: 'a.jpg', verdict: null, error: null, skipped: null };
const found = (verdict: ResultClass): End => ({ ...open, verdict });
const failed = (code: ErrorCode): End => ({ ...open, error: { code, message: '' } });
const skipped: End = { ...open, skipped: { code: 'not_a_picture', kind: 'video' } };
const all = [found('abstain'), found('uncertain'), found('fake')];

const cases: readonly (readonly [string, readonly End[], readonly FailOn[], number])[] = [
  ['a verdict is no failure', [found('fake'), found('abstain')], [], 0],
  ['another verdict is no failure', [found('real'), found('uncertain')], ['fake', 'abstain'], 0],
  ['fake outweighs the others', all, ['abstain', 'uncertain', 'fake'], 10],
  ['uncertain outweighs abstain', all, ['abstain', 'uncertain'], 11],
  ['abstain counts if it is named', all, ['abstain'], 12],
  ['a failure alone has its own code', [failed('file_not_found')], ['fake'], 4],
  ['a full disk alone has its own code', [failed('no_space_left')], [], 6],
  ['a failure outweighs verdicts', [failed('file_not_found'), found('fake')], ['fake'], 1],
  ['a skipped file is no failure', [found('real'), skipped], ['fake'], 0],
  ['an unexamined file counts if it is named', [found('real'), skipped], ['unexamined'], 13],
  ['it outweighs failures', [failed('file_not_found')], ['unexamined', 'fake'], 13],
  ['without one, verdicts count', [found('fake')], ['unexamined', 'fake'], 10],
];

test.each(cases)('exit code: %s', (_what, ends, failOn, code) => {
  expect(exitCodeOf(ends.reduce(withRecord, emptySummary), failOn)).toBe(code);
});
