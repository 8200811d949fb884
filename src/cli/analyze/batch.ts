/**
 * Does `work` on every item, at most `width` at a time, and hands the answers out in the order of the items. `work`
 * must not fail: a picture's failure is an answer. After `signal` no further work begins.
 */
export async function* inOrder<T, R>(
  items: readonly T[],
  width: number,
  work: (item: T, index: number) => Promise<R>,
  signal: AbortSignal,
): AsyncGenerator<R> {
  let running = 0;
  const waiting: (() => void)[] = [];
  const started = items.map(async (item, index) => {
    if (running >= width) await new Promise<void>((resolve) => waiting.push(resolve));
    running++;
    try {
      return signal.aborted ? null : { answer: await work(item, index) };
    } finally {
      running--;
      waiting.shift()?.();
    }
  });
  try {
    for (const each of started) {
      const done = await each;
      if (done === null) return;
      yield done.answer;
    }
  } finally {
    // Whoever stops listening early still gets back only when nothing is at work any more.
    await Promise.allSettled(started);
  }
}
