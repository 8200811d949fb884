/** A child for the pool's tests: does as it is told, including what a child should not do. */

import { spawn } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { ForensicsError } from '../../../src/contract/errors.ts';
import { serveTasks } from '../../../src/examiner/child-side.ts';

const hoard: Uint8Array[] = [];

function usedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const acts: Readonly<Record<string, (value: unknown) => unknown>> = {
  echo: (value) => value,
  pid: () => process.pid,
  environment: () => ({ ...process.env }),
  refuse: () => {
    throw new ForensicsError('image_unreadable', 'The picture is damaged.');
  },
  stumble: () => {
    throw new TypeError('not foreseen');
  },
  /** Leaves a process behind that keeps this one's stderr open for a second. */
  leave: () => {
    const script = 'setTimeout(() => undefined, 1000)';
    spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'ignore', 'inherit'] }).unref();
  },
  exit: () => process.exit(3),
  kill: () => process.kill(process.pid, 'SIGKILL'),
  signal: async (name) => {
    process.kill(process.pid, String(name));
    await setTimeout(50);
    return 'still there';
  },
  abort: () => process.abort(),
  hang: () => {
    for (;;);
  },
  sleep: async () => setTimeout(60_000),
  /** Works for this many milliseconds of CPU time. */
  work: (ms) => {
    while (usedMs() < Number(ms)) for (let turn = 0; turn < 1e6; turn++);
    return 'done';
  },
  hoard: () => {
    for (;;) hoard.push(new Uint8Array(8_000_000).fill(1));
  },
  fillHeap: () => {
    const numbers: number[][] = [];
    for (let at = 0; ; at++) numbers.push(Array.from<number>({ length: 100_000 }).fill(at + 0.5));
  },
};

serveTasks(async (task) => {
  const [act, value] = Object.entries(task ?? {})[0] ?? [];
  return acts[act ?? '']?.(value);
});
