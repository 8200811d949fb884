/**
 * Memory of the program itself over batches of many files, without its child processes: `node bin/bench/batch-memory.ts`.
 * The files are real and small, and the examiner only reads their names, so the figures show what a run retains.
 */

import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AnalyzeOptions } from '../../src/cli/options.ts';
import { runAnalyze } from '../../src/cli/analyze/run.ts';
import { options, prepareFake } from '../../test/cli/fake-examiner.ts';

const counts = [50, 5000, 50_000];
const formats: readonly Partial<AnalyzeOptions>[] = [
  { jsonl: true },
  { json: true },
  { csv: true },
  {},
];

const [dir, formatText] = process.argv.slice(2);
if (dir !== undefined && formatText !== undefined) await runOne(dir, JSON.parse(formatText));
else await measureAll();

async function runOne(folder: string, format: Partial<AnalyzeOptions>): Promise<void> {
  process.chdir(folder);
  const wanted = { ...options, ...format, tier: 'forensicReporting', recursive: true } as const;
  let held = 0;
  const prepare = sampled(prepareFake(), () => {
    globalThis.gc?.();
    held = Math.max(held, process.memoryUsage().heapUsed);
  });
  await runAnalyze(['pictures'], wanted, prepare);
  const [heap, resident] = [held / 1e6, (await mostResidentKilobytes()) / 1e3];
  process.stderr.write(`${heap.toFixed(1)} MB held, ${resident.toFixed(0)} MB resident`);
}

/** Calls `sample` at every 500th picture: what is still reachable then is what a run retains. */
function sampled(prepare: ReturnType<typeof prepareFake>, sample: () => void): typeof prepare {
  return async (run) => {
    const examiner = await prepare(run);
    let count = 0;
    return {
      ...examiner,
      examine: async (input, folderName) => {
        if (count++ % 500 === 49) sample();
        return examiner.examine(input, folderName);
      },
    };
  };
}

/** Read from /proc, since `getrusage` includes the parent's pages at the start. Linux only. */
async function mostResidentKilobytes(): Promise<number> {
  const status = await readFile('/proc/self/status', 'utf8');
  return Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1]);
}

async function measureAll(): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'forensics-bench-'));
  try {
    for (const count of counts) {
      const folder = join(root, String(count));
      await fill(join(folder, 'pictures'), count);
      for (const format of formats) {
        process.stdout.write(`${count} files, ${nameOf(format)}: ${measure(folder, format)}\n`);
      }
    }
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function fill(folder: string, count: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  const first = join(folder, '..', 'first');
  await writeFile(first, 'x'.repeat(1000));
  for (let n = 0; n < count; n++) await copyFile(first, join(folder, `real-${n}.jpg`));
}

function measure(folder: string, format: Partial<AnalyzeOptions>): string {
  const script = fileURLToPath(import.meta.url);
  const args = ['--expose-gc', '--disable-warning=ExperimentalWarning', script, folder];
  const ran = spawnSync(process.execPath, [...args, JSON.stringify(format)], {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  if (ran.status !== 0) throw new Error(ran.stderr);
  return ran.stderr;
}

function nameOf(format: Partial<AnalyzeOptions>): string {
  return Object.keys(format).join(' + ') || 'table';
}
