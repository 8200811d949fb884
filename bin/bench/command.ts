/** (d): the command line as users start it: time to the verdict, and the peak memory of the process and its child. */

import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median, type Row } from './figures.ts';
import { sceneOf, type Size } from './sizes.ts';

const program = fileURLToPath(new URL('../forensics.js', import.meta.url));

export interface Held {
  readonly ms: number;
  readonly parentMb: number;
  readonly childMb: number;
}

export async function benchCommand(size: Size, rounds: number): Promise<readonly Row[]> {
  const dir = mkdtempSync(join(tmpdir(), 'forensics-bench-'));
  try {
    const picture = join(dir, 'scene.jpg');
    writeFileSync(picture, await sceneOf(size));
    const runs: Held[] = [];
    for (let round = 0; round < rounds; round++) runs.push(await watch(['analyze', picture]));
    const forensic = ['--tier', 'forensicReporting', '--out', join(dir, 'out')];
    const report = await watch(['analyze', picture, ...forensic]);
    const written = readdirSync(join(dir, 'out', 'scene')).map(
      (file) => statSync(join(dir, 'out', 'scene', file)).size,
    );
    const mb = (of: 'parentMb' | 'childMb', of_: readonly Held[]) =>
      Math.max(...of_.map((run) => run[of]));
    const drawn = size.megapixels === 12 ? { atMost: 8000 } : {};
    const starts: Readonly<Record<number, number>> = { 1: 1500, 12: 4000 };
    const goal = starts[size.megapixels];
    const start = goal === undefined ? {} : { atMost: goal };
    return [
      {
        what: 'CLI start to verdict',
        value: median(runs.map(({ ms }) => ms)),
        unit: 'ms',
        ...start,
      },
      { what: 'CLI start to report on disk', value: report.ms, unit: 'ms', ...drawn },
      {
        what: 'what --out leaves',
        value: written.reduce((sum, bytes) => sum + bytes, 0) / 1e6,
        unit: 'MB',
        atMost: 15,
      },
      {
        what: '(d) peak of the parent',
        value: mb('parentMb', [...runs, report]),
        unit: 'MB',
        atMost: 250,
      },
      {
        what: '(d) peak of the child, flagging',
        value: mb('childMb', runs),
        unit: 'MB',
        atMost: 800,
      },
      { what: '(d) peak of the child, report', value: report.childMb, unit: 'MB', atMost: 800 },
    ];
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Memory is the system's own high-water mark (`VmHWM`), read until the process has ended; 0 without /proc. */
export function watch(args: readonly string[]): Promise<Held> {
  const began = performance.now();
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let parentMb = 0;
  let childMb = 0;
  const look = () => {
    parentMb = Math.max(parentMb, peakOf(child.pid!));
    for (const pid of childrenOf(child.pid!)) childMb = Math.max(childMb, peakOf(pid));
  };
  const timer = setInterval(look, 5);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      clearInterval(timer);
      const ms = performance.now() - began;
      if (code === 0) resolve({ ms, parentMb, childMb });
      else reject(new Error(`analyze ended with ${code}; run npm run build first.`));
    });
  });
}

function peakOf(pid: number): number {
  const kilobytes = /^VmHWM:\s+(\d+)/m.exec(procFile(`${pid}/status`))?.[1];
  return Number(kilobytes ?? 0) / 1024;
}

function childrenOf(pid: number): readonly number[] {
  return procFile(`${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

/** Empty if the process has just ended, or without /proc. */
function procFile(name: string): string {
  try {
    return readFileSync(`/proc/${name}`, 'utf8');
  } catch {
    return '';
  }
}
