/**
 * A pool of forked child processes for work that must not run in our own process: decoding
 * untrusted bytes and running networks. If a child crashes, hangs or runs out of memory, one task
 * is lost, but never the pool. The pool does not know what a task does.
 */

import { ForensicsError } from '../errors.ts';
import { type Child, type ChildOptions, forkChild } from './child-process.ts';

interface PoolOptions extends ChildOptions {
  /** Maximum number of children; each is forked when it is first needed, and stays alive. */
  readonly size: number;
}

export interface RunOptions {
  /** If every child is busy: `wait` in the queue (the default), or `refuse`, which fails with `inference_busy`. */
  readonly ifBusy?: 'wait' | 'refuse';
  readonly signal?: AbortSignal;
}

export interface PoolStatus {
  readonly children: number;
  readonly busy: number;
  readonly waiting: number;
}

export type Pool = ReturnType<typeof createPool>;

interface Slot {
  child: Child | null;
}

/** @throws {RangeError} when `size` is not a positive integer. */
export function createPool(options: PoolOptions) {
  if (!Number.isSafeInteger(options.size) || options.size < 1) {
    throw new RangeError('A pool needs a whole number of children, at least one.');
  }
  const idle: Slot[] = Array.from({ length: options.size }, () => ({ child: null }));
  const all = [...idle];
  const waiting: PromiseWithResolvers<Slot>[] = [];
  const running = new Set<Promise<unknown>>();
  let closed = false;

  function run(task: unknown, runOptions: RunOptions = {}): Promise<unknown> {
    const work = admit(task, runOptions);
    running.add(work);
    return work.finally(() => running.delete(work));
  }

  async function admit(task: unknown, { ifBusy, signal }: RunOptions): Promise<unknown> {
    if (closed) throw closing();
    if (signal?.aborted) throw cancelled();
    // Prefers a child whose models are loaded to one that has not been forked yet.
    const warm = idle.findLastIndex(({ child }) => child?.isAlive());
    const [slot] = idle.splice(warm === -1 ? idle.length - 1 : warm, 1);
    if (!slot && ifBusy === 'refuse') throw busy();
    return perform(slot ?? (await turn(signal)), task, signal);
  }

  function turn(signal: AbortSignal | undefined): Promise<Slot> {
    const waiter = Promise.withResolvers<Slot>();
    const leave = () => {
      const at = waiting.indexOf(waiter);
      if (at >= 0) waiting.splice(at, 1);
      waiter.reject(cancelled());
    };
    signal?.addEventListener('abort', leave, { once: true });
    waiting.push(waiter);
    return waiter.promise.finally(() => signal?.removeEventListener('abort', leave));
  }

  async function perform(slot: Slot, task: unknown, signal?: AbortSignal): Promise<unknown> {
    try {
      let outcome = await runningChild(slot).perform(task, signal);
      // The child died before it received the task. Nothing was done, so a new child may perform the task.
      if ('notBegun' in outcome) outcome = await runningChild(slot).perform(task, signal);
      if ('notBegun' in outcome) throw outcome.notBegun;
      return outcome.answer;
    } finally {
      const next = waiting.shift();
      if (next) next.resolve(slot);
      else idle.push(slot);
    }
  }

  function runningChild(slot: Slot): Child {
    if (!slot.child?.isAlive()) slot.child = forkChild(options);
    return slot.child;
  }

  return {
    /**
     * @param task - any value that can be cloned as structured data.
     * @returns the child's result; the caller knows its type from the task.
     * @throws {ForensicsError} whatever the child threw, `inference_busy`, `inference_timeout`, `inference_crashed`,
     *   `inference_out_of_memory`, or `cancelled` if the signal aborts or the pool is closed.
     */
    run,
    /** Forks the first child in advance, so that it can start while the parent does something else. */
    start: () => {
      const slot = idle.at(-1);
      if (slot) runningChild(slot);
    },
    status: () => ({
      children: all.filter(({ child }) => child?.isAlive()).length,
      busy: options.size - idle.length,
      waiting: waiting.length,
    }),
    /** Rejects waiting tasks and new ones, lets running ones finish, then ends the children. */
    close: async () => {
      closed = true;
      for (const waiter of waiting.splice(0)) waiter.reject(closing());
      await Promise.allSettled(running);
      for (const { child } of all) child?.end();
    },
  };
}

const busy = () =>
  new ForensicsError('inference_busy', 'Every analysis process is busy; try again in a moment.');

const cancelled = () => new ForensicsError('cancelled', 'The work was cancelled.');

const closing = () => new ForensicsError('cancelled', 'The program is closing; start it again.');
