/** The child: performs one task at a time and never outlives the parent, even while native code blocks it. */

import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { toForensicsError } from '../contract/errors.ts';
import { type ChildMessage, isTaskMessage, memoryMarker, type WatchdogLimits } from './pool.ts';

/** The entry module of a pool calls this once. */
export function serveTasks(perform: (task: unknown) => Promise<unknown>): void {
  const [memoryLimitBytes = Infinity, parentPid = process.ppid] = process.argv.slice(2).map(Number);
  const workerData: WatchdogLimits = { memoryLimitBytes, parentPid, memoryMarker };
  const watchdog = new URL(`../examiner/watchdog${extname(import.meta.url)}`, import.meta.url);
  const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4 };
  new Worker(watchdog, { workerData, resourceLimits }).unref();
  process.on('disconnect', () => process.exit(0));
  // Ctrl-C and the end of a session reach the whole process group. But the parent decides when this process ends: it
  // may want the task to be finished, and our exit would count as a failed attempt.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => undefined);
  process.on('message', (message) => {
    if (isTaskMessage(message)) void answerTask(message.task, perform);
  });
}

async function answerTask(task: unknown, perform: (task: unknown) => Promise<unknown>) {
  send({ kind: 'begun' });
  try {
    send({ kind: 'answer', answer: await perform(task) });
  } catch (error) {
    const { code, message, reason } = toForensicsError(error);
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const detail = code === 'internal' ? text : null;
    send({ kind: 'error', code, message, reason, detail });
  }
}

function send(message: ChildMessage): void {
  // If the parent no longer exists, sending fails, and `disconnect` ends this process.
  process.send?.(message, undefined, undefined, () => undefined);
}
