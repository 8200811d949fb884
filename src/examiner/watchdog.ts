/** A thread that ends the child if the parent is gone or memory exceeds the limit, even while native code blocks. */

import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import type { WatchdogLimits } from './pool.ts';

const checkIntervalMs = 50;

// From elsewhere, only types are imported, so that the thread loads a single file.
const { memoryLimitBytes, parentPid, memoryMarker }: WatchdogLimits = workerData;

setInterval(() => {
  const isOverLimit = process.memoryUsage.rss() > memoryLimitBytes;
  if (isOverLimit) writeSync(2, `${memoryMarker}\n`);
  if (isOverLimit || process.ppid !== parentPid) process.kill(process.pid, 'SIGKILL');
}, checkIntervalMs);
