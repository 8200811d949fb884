/**
 * Work on many items side by side, answers in the order of the items. An item is read when a worker is free and not
 * before, so that a million of them, or a folder that never ends, cost no more memory than a few.
 */

import { type ErrorCode, ForensicsError } from '../../errors.ts';

interface BatchHow {
  /** Most items at work at a time. */
  readonly width: number;
  /** After it no further work begins; who gives the items has to end them then too. */
  readonly signal: AbortSignal;
}

/**
 * Answers that may wait for an earlier one: a large picture does not hold up its small neighbours at once, and a
 * picture that takes for ever does not let answers pile up.
 */
const mostWaiting = 16;

/** Null once the items are used up or the work is to end. */
type Slot<R> = { readonly answer: R } | null;

/** `work` must not fail: a picture's failure is an answer. What the giver of items throws ends the batch. */
export async function* inOrder<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  { width, signal }: BatchHow,
  work: (item: T, index: number) => Promise<R>,
): AsyncGenerator<R> {
  const source = lazily(items);
  const slots: Promise<Slot<R>>[] = [];
  let next = 0;
  let running = 0;
  let isOver = false;

  async function take(): Promise<Slot<R>> {
    // Several may ask at a time: a generator answers them one after the other, in the order of the slots.
    const taken = await source.next();
    if (taken.done === true || signal.aborted) {
      isOver = true;
      return null;
    }
    return { answer: await work(taken.value, next++) };
  }

  function fill(): void {
    while (!isOver && !signal.aborted && running < width && slots.length < width + mostWaiting) {
      running++;
      const slot = take().finally(() => {
        running--;
        fill();
      });
      // Heard here too: one that fails while an earlier one is awaited would end the program.
      void Promise.allSettled([slot]);
      slots.push(slot);
    }
  }

  try {
    for (fill(); slots.length > 0; fill()) {
      // oxlint-disable-next-line no-await-in-loop -- the order of the items
      const done = await slots.shift();
      if (!done) return;
      yield done.answer;
    }
  } finally {
    // A caller that stops listening early still returns only after all work has ended.
    isOver = true;
    await Promise.allSettled(slots);
    await source.return(undefined);
  }
}

async function* lazily<T>(items: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T> {
  yield* items;
}

/**
 * Ctrl-C and SIGTERM end a run in order: first the child processes, then temporary files, then the program, by the same
 * signal.
 */
export interface Stop {
  readonly signal: AbortSignal;
  /** Ends the run from the inside, without a signal of the system. */
  because(failure: ForensicsError): void;
  /** @throws {ForensicsError} why the run was stopped, if it was. */
  throwIfStopped(): void;
  /** Stops listening; when a signal had come, ends the program by it, so that the shell sees the true reason. */
  release(): void;
}

/** Failures that every picture of a run would meet: the run ends with the first. */
export function isOfTheMachine({ code }: Pick<ForensicsError, 'code'>): boolean {
  return ofTheMachine.has(code);
}

const ofTheMachine: ReadonlySet<ErrorCode> = new Set([
  'model_not_found',
  'model_integrity',
  'runtime_missing',
  'no_space_left',
  // Of a server that examines in its place.
  'unauthenticated',
  'forbidden',
  'tenant_not_found',
  'server_unreachable',
  'server_untrusted',
]);

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export function listenForStop(): Stop {
  const controller = new AbortController();
  let came: NodeJS.Signals | null = null;
  const forget = () => signals.forEach((name) => process.off(name, onSignal));
  // We go on listening: the spinner's package ends the program at once when it finds itself alone with a signal.
  const onSignal = (name: NodeJS.Signals) => {
    if (came === null) {
      came = name;
      controller.abort(new ForensicsError('cancelled', 'Stopped.'));
      return;
    }
    // A second one need not wait for the tidying up.
    endBy(name);
  };
  signals.forEach((name) => process.on(name, onSignal));
  return {
    signal: controller.signal,
    because: (failure) => controller.abort(failure),
    throwIfStopped: () => controller.signal.throwIfAborted(),
    release: () => {
      forget();
      if (came) endBy(came);
    },
  };
}

/** At once: with a listener left the signal would come later than the exit code of a caller that goes on. */
function endBy(name: NodeJS.Signals): void {
  process.removeAllListeners(name);
  process.kill(process.pid, name);
}
