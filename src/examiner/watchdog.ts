/**
 * A thread alongside the child's main thread, which native code may block for seconds: ends the process when its parent
 * is gone or its memory exceeds the limit.
 */

import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import type { WatchdogLimits } from './child-process.ts';

const checkIntervalMs = 50;

// Types only are imported from elsewhere, so that the thread loads a single file.
const { memoryLimitBytes, parentPid, memoryMarker }: WatchdogLimits = workerData;

setInterval(() => {
  const isOverLimit = process.memoryUsage.rss() > memoryLimitBytes;
  if (isOverLimit) writeSync(2, `${memoryMarker}\n`);
  if (isOverLimit || process.ppid !== parentPid) process.kill(process.pid, 'SIGKILL');
}, checkIntervalMs);
