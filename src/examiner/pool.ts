/**
 * A pool of forked child processes for work that must not run in our own process: decoding
 * untrusted bytes and running networks. If a child crashes, hangs or runs out of memory, one task
 * is lost, but never the pool. The pool does not know what a task does.
 */

import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type ErrorCode, failure, type FailureReason, ForensicsError } from '../contract/errors.ts';

interface ChildOptions {
  /** A module that calls `serveTasks`. */
  readonly entry: URL;
  /** CPU time, if the system reports it. Counts from when the task is sent, and includes starting a new child. */
  readonly taskTimeoutMs: number;
  /** Limit on the resident memory of the whole child, as the operating system measures it. */
  readonly memoryLimitBytes: number;
  readonly execArgv?: readonly string[];
}

interface PoolOptions extends ChildOptions {
  /** Maximum number of children; each is forked when it is first needed, and stays alive. */
  readonly size: number;
}

export interface RunOptions {
  /** If every child is busy: `wait` in the queue (the default), or `refuse`, which fails with `inference_busy`. */
  readonly ifBusy?: 'wait' | 'refuse';
  readonly signal?: AbortSignal;
}

export type Pool = ReturnType<typeof createPool>;
export type PoolStatus = ReturnType<Pool['status']>;

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
    size: options.size,
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

// The parent's side of a child process: sends it a task, receives the result or the failure, and ends it.

/** `notBegun`: the child ended before it started on the task, so another child may perform it. */
type Outcome = { readonly answer: unknown } | { readonly notBegun: ForensicsError };

type Child = ReturnType<typeof forkChild>;

const maxStderrChars = 4096;

/** 24 days: timers cannot run longer, and Node.js fires longer ones immediately. */
const longestTimerMs = 2 ** 31 - 1;

/** Pixels and tensors lie outside the heap of V8, so it never needs to be larger. */
const largestHeapMegabytes = 2048;

/** Needed to find native libraries and the folder for temporary files; contains nothing secret. */
const passedVariables = ['PATH', 'LD_LIBRARY_PATH', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'TZ'];

function forkChild(options: ChildOptions) {
  const child = start(options);
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-maxStderrChars);
  });
  let onEnded: (() => void) | null = null;
  child.once('close', () => onEnded?.());
  // Without a listener, an error event from a broken channel would end our process. The close event reports it anyway.
  child.on('error', () => undefined);
  keepParent(child, 'unref');

  function perform(task: unknown, signal?: AbortSignal): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      let hasBegun = false;
      let killReason: ForensicsError | null = null;
      const limit = limitTime(child, options.taskTimeoutMs, (why, ms) =>
        kill(failure(why, { seconds: Math.round(ms / 100) / 10 })),
      );
      const onAbort = () => kill(cancelled());

      function kill(reason: ForensicsError): void {
        killReason ??= reason;
        child.kill('SIGKILL');
      }
      function settle(act: () => void): void {
        limit.end();
        signal?.removeEventListener('abort', onAbort);
        child.off('message', onMessage);
        onEnded = null;
        keepParent(child, 'unref');
        act();
      }
      function onMessage(said: unknown): void {
        if (killReason || !isChildMessage(said)) return;
        if (said.kind === 'begun') hasBegun = true;
        else if (said.kind === 'answer') settle(() => resolve({ answer: said.answer }));
        else {
          const cause = said.detail === null ? undefined : new Error(said.detail);
          const { code, message, reason } = said;
          settle(() => reject(new ForensicsError(code, message, { cause, reason })));
        }
      }

      keepParent(child, 'ref');
      child.on('message', onMessage);
      signal?.addEventListener('abort', onAbort, { once: true });
      onEnded = () => {
        const reason = killReason ?? exitReason(child, stderr);
        settle(() => (killReason || hasBegun ? reject(reason) : resolve({ notBegun: reason })));
      };
      sendTask(child, task, (error) => settle(() => reject(error)));
      if (signal?.aborted) onAbort();
    });
  }

  return {
    pid: child.pid,
    perform,
    isAlive: () => isAlive(child),
    /** Does not wait for the system to free the child's memory, which takes a while. */
    end: () => child.kill('SIGKILL'),
  };
}

/** A child that uses less than this share of a core is stuck, rather than waiting for others. */
const minShare = 0.01;

type OnOver = (why: 'timeout' | 'stuck', ms: number) => void;

/** Calls `onOver` once the child has used this much CPU time; time in which it waits for others does not count. */
function limitTime({ pid }: ChildProcess, timeoutMs: number, onOver: OnOver) {
  const limitMs = Math.min(timeoutMs, longestTimerMs);
  const atStart = processorMs(pid) ?? 0;
  const wait = (forMs: number, usedMs: number) =>
    setTimeout(() => {
      const nowMs = (processorMs(pid) ?? Infinity) - atStart;
      if (nowMs >= limitMs) onOver('timeout', timeoutMs);
      else if (nowMs - usedMs < forMs * minShare) onOver('stuck', forMs);
      else timer = wait(Math.max(limitMs - nowMs, limitMs / 2), nowMs);
    }, forMs);
  let timer = wait(limitMs, 0);
  return { end: () => clearTimeout(timer) };
}

/** CPU time used; null if the system does not report it. @see proc_pid_stat(5), `utime` and `stime`, in 1/100 s. */
function processorMs(pid: number | undefined): number | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '');
    const [user, system] = text.split(' ').slice(11);
    return (Number(user) + Number(system)) * 10;
  } catch {
    return null;
  }
}

function start({ entry, memoryLimitBytes, execArgv }: ChildOptions): ChildProcess {
  const half = Math.floor(memoryLimitBytes / 2 ** 21);
  const heapMegabytes = Math.min(largestHeapMegabytes, Math.max(64, half));
  return fork(fileURLToPath(entry), [String(memoryLimitBytes), String(process.pid)], {
    execArgv: [
      `--max-old-space-size=${heapMegabytes}`,
      '--disable-warning=ExperimentalWarning',
      // A picture's threads use every core, so helper threads and early collections only slow them down (5 and 9 %).
      '--single-threaded-gc',
      '--min-semi-space-size=16',
      '--initial-old-space-size=200',
      ...(execArgv ?? []),
    ],
    env: {
      ...Object.fromEntries(passedVariables.map((name) => [name, process.env[name]])),
      // One glibc arena rather than one per thread, because each would keep 50 MB after a large picture.
      MALLOC_ARENA_MAX: '1',
    },
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}

function isAlive(child: ChildProcess): boolean {
  return child.connected && !child.killed && child.exitCode === null && child.signalCode === null;
}

/** Only a task that cannot be serialised is the caller's mistake; if the child has ended, `close` reports it. */
function sendTask(child: ChildProcess, task: unknown, onUnsendable: (error: unknown) => void) {
  try {
    child.send({ task }, (error) => error && child.kill('SIGKILL'));
  } catch (error) {
    onUnsendable(error);
  }
}

/** Only a busy child keeps our process running, so that a program that forgets to close the pool still ends. */
function keepParent(child: ChildProcess, how: 'ref' | 'unref'): void {
  child[how]();
  child.channel?.[how]();
  // `close` comes only after the end of the child's output, so the output must keep our process running too.
  if (child.stderr instanceof Socket) child.stderr[how]();
}

/** V8 and the C++ library report failed allocations themselves; our watchdog writes a marker of its own. */
function exitReason(child: ChildProcess, stderr: string): ForensicsError {
  const cause = new Error(
    `child ${child.pid} ended with code ${child.exitCode}, signal ${child.signalCode}: ${stderr}`,
  );
  if (stderr.includes(memoryMarker) || /heap out of memory|std::bad_alloc/.test(stderr)) {
    return failure('out_of_memory', {}, { cause });
  }
  return failure('crashed', {}, { cause });
}

/** Messages from a child of the pool to its parent. */
export type ChildMessage =
  | { readonly kind: 'begun' }
  | { readonly kind: 'answer'; readonly answer: unknown }
  | {
      readonly kind: 'error';
      readonly code: ErrorCode;
      readonly message: string;
      readonly reason: FailureReason | null;
      /** Stack of an unexpected error, for the log; null if the error was expected. */
      readonly detail: string | null;
    };

function isChildMessage(value: unknown): value is ChildMessage {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

export function isTaskMessage(value: unknown): value is { readonly task: unknown } {
  return typeof value === 'object' && value !== null && 'task' in value;
}

export interface WatchdogLimits {
  readonly memoryLimitBytes: number;
  readonly parentPid: number;
  /** Written to stderr before the watchdog ends a child that uses too much memory. */
  readonly memoryMarker: string;
}

export const memoryMarker = 'forensics-child-memory-limit';
