/** The parent's side of a forked child process: sends it a task, receives the result or the failure, and ends it. */

import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { failure } from '../contract/failure-reasons.ts';
import { type ErrorCode, type FailureReason, ForensicsError } from '../errors.ts';

export interface ChildOptions {
  /** A module that calls `serveTasks`. */
  readonly entry: URL;
  /** CPU time, if the system reports it. Counts from when the task is sent, and includes starting a new child. */
  readonly taskTimeoutMs: number;
  /** Limit on the resident memory of the whole child, as the operating system measures it. */
  readonly memoryLimitBytes: number;
  readonly execArgv?: readonly string[];
}

/** `notBegun`: the child ended before it started on the task, so another child may perform it. */
type Outcome = { readonly answer: unknown } | { readonly notBegun: ForensicsError };

export type Child = ReturnType<typeof forkChild>;

const maxStderrChars = 4096;

/** 24 days: timers cannot run longer, and Node.js fires longer ones immediately. */
const longestTimerMs = 2 ** 31 - 1;

/** Pixels and tensors lie outside the heap of V8, so it never needs to be larger. */
const largestHeapMegabytes = 2048;

/** Needed to find native libraries and the folder for temporary files; contains nothing secret. */
const passedVariables = ['PATH', 'LD_LIBRARY_PATH', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'TZ'];

export function forkChild(options: ChildOptions) {
  const child = start(options);
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-maxStderrChars);
  });
  let onEnded: (() => void) | null = null;
  child.once('close', () => onEnded?.());
  // Without a listener, an error event from a broken channel would end our process. The close event reports it anyway.
  child.on('error', () => undefined);
  releaseParent(child);

  function perform(task: unknown, signal?: AbortSignal): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      let hasBegun = false;
      let killReason: ForensicsError | null = null;
      const limit = limitTime(child, options.taskTimeoutMs, (why, ms) =>
        kill(failure(why, { seconds: Math.round(ms / 100) / 10 })),
      );
      const onAbort = () => kill(new ForensicsError('cancelled', 'The work was cancelled.'));

      function kill(reason: ForensicsError): void {
        killReason ??= reason;
        child.kill('SIGKILL');
      }
      function settle(act: () => void): void {
        limit.end();
        signal?.removeEventListener('abort', onAbort);
        child.off('message', onMessage);
        onEnded = null;
        releaseParent(child);
        act();
      }
      function onMessage(said: unknown): void {
        if (killReason || !isChildMessage(said)) return;
        if (said.kind === 'begun') hasBegun = true;
        else if (said.kind === 'answer') settle(() => resolve({ answer: said.answer }));
        else settle(() => reject(toError(said)));
      }

      holdParent(child);
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
  const variables = passedVariables.filter((name) => process.env[name] !== undefined);
  return fork(fileURLToPath(entry), [String(memoryLimitBytes), String(process.pid)], {
    execArgv: [
      `--max-old-space-size=${heapMegabytes}`,
      '--disable-warning=ExperimentalWarning',
      ...(execArgv ?? []),
    ],
    env: {
      ...Object.fromEntries(variables.map((name) => [name, process.env[name]])),
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
function holdParent(child: ChildProcess): void {
  child.ref();
  child.channel?.ref();
  // `close` comes only after the end of the child's output, so the output must keep our process running too.
  if (child.stderr instanceof Socket) child.stderr.ref();
}

function releaseParent(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
  if (child.stderr instanceof Socket) child.stderr.unref();
}

function toError(said: Extract<ChildMessage, { kind: 'error' }>): ForensicsError {
  const cause = said.detail === null ? undefined : new Error(said.detail);
  return new ForensicsError(said.code, said.message, { cause, reason: said.reason });
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
