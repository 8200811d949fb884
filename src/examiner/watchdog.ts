/**
 * A thread beside the child's main thread, which native code may block for seconds: ends the process when its parent is
 * gone or its memory exceeds the limit.
 */

import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { memoryMarker, type WatchdogLimits } from './child-process.ts';

const lookEveryMs = 50;

const { memoryLimitBytes, parentPid }: WatchdogLimits = workerData;

setInterval(() => {
  const tooMuch = process.memoryUsage.rss() > memoryLimitBytes;
  if (tooMuch) writeSync(2, `${memoryMarker}\n`);
  if (tooMuch || process.ppid !== parentPid) process.kill(process.pid, 'SIGKILL');
}, lookEveryMs);
