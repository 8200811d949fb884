/**
 * Hostile pictures: whole files of both formats with everything that a camera or an editor puts
 * into them, changed in their structure. Each must give a verdict or an error code for pictures; no
 * child process may die, take 20 s or use too much memory.
 */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toForensicsError } from '../../src/contract/errors.ts';
import { decodePicture } from '../../src/image/decode.ts';
import { createPool } from '../../src/examiner/pool.ts';
import { createSandbox } from '../../src/examiner/sandbox.ts';
import { createRandom } from '../../test/fixtures/noise.ts';
import { pngChunk, pngHeader, pngSignature } from '../../test/fixtures/png-chunks.ts';
import { basePictures } from './base-pictures.ts';
import { mutated } from './mutate.ts';
import { demand, percentile, pick, type Proof } from './proof.ts';

const taskTimeoutMs = 20_000;
const memoryLimitBytes = 1_800_000_000;
/** The share that is also examined, which takes a hundred times as long as reading. */
const examinedShare = 1 / 200;
/** Reading credentials takes a hundred times as long as the rest of a file. */
const signedShare = 1 / 40;
const atOnce = 2;

export async function provePictures(proof: Proof): Promise<void> {
  const entry = new URL('./open-child.ts', import.meta.url);
  const pool = createPool({ entry, size: atOnce, taskTimeoutMs, memoryLimitBytes });
  const sandbox = createSandbox({ poolSize: 1, taskTimeoutMs, memoryLimitBytes });
  const options = { model: 'trace-3', decisionStrategy: 'default', seed: 1337 } as const;
  const bases = await basePictures();
  const codes = new Map<string, number>();
  const times: number[] = [];

  /** @param number - of the picture; the same picture for the same seed, however many are tried in parallel. */
  async function tryOne(number: number): Promise<void> {
    const random = createRandom(proof.seed * 1_000_003 + number);
    const base = pick(random, random() < signedShare ? bases.signed : bases.plain);
    const bytes = mutated(random, base);
    const isExamined = random() < examinedShare;
    const begun = performance.now();
    const code = isExamined
      ? await codeOf(sandbox.examine({ source: { bytes }, options }))
      : await codeOf(pool.run(bytes));
    const what = isExamined ? `examined: ${code}` : `opened: ${code}`;
    codes.set(what, (codes.get(what) ?? 0) + 1);
    if (!isExamined) times.push(performance.now() - begun);
    const isKnown = /^(?:fine|image_\w+)/.test(code);
    demand(isKnown, `${code} from picture ${number}${isKnown ? '' : `, the file ${kept(bytes)}`}`);
  }

  try {
    proof.note('slowest refusal of a bomb, ms', await proveBombs());
    let tried = 0;
    const lines = Array.from({ length: atOnce }, async () => {
      while (!proof.isOver()) await tryOne(tried++);
    });
    await Promise.all(lines);
  } finally {
    await Promise.all([pool.close(), sandbox.close()]);
  }
  proof.note(
    'hostile pictures',
    [...codes.values()].reduce((sum, each) => sum + each, 0),
  );
  proof.note('time to open one, p99, ms', percentile(times, 0.99).toFixed(0));
  for (const [what, count] of [...codes].toSorted(([, a], [, b]) => b - a)) proof.note(what, count);
}

/** The error code, or the outcome if there was none. */
async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    const said = await work;
    return typeof said === 'string' ? `fine, ${said}` : 'fine';
  } catch (error) {
    return toForensicsError(error).code;
  }
}

/** Saves a picture for inspection. @returns its path. */
export function kept(bytes: Uint8Array): string {
  const file = join(mkdtempSync(join(tmpdir(), 'forensics-hostile-')), 'picture');
  writeFileSync(file, bytes);
  return file;
}

const bombMs = 50;
const bombRounds = 20;

/**
 * In this process, because only headers are read. Measured in CPU time, which does not depend on
 * the load of the machine.
 *
 * @returns the mean of the slowest kind, in ms.
 */
async function proveBombs(): Promise<string> {
  const data = pngChunk('IDAT', Buffer.alloc(1_000_000));
  const png = (width: number, height: number) =>
    Buffer.concat([pngSignature, pngHeader(width, height), data, pngChunk('IEND', '')]);
  const sof = Buffer.from([
    0xff, 0xc0, 0, 17, 8, 255, 255, 255, 255, 3, 1, 34, 0, 2, 17, 1, 3, 17, 1,
  ]);
  const jpeg = Buffer.concat([Buffer.from([0xff, 0xd8]), sof, Buffer.alloc(1_000_000, 1)]);
  let slowest = 0;
  for (const bomb of [png(50_000, 50_000), png(2 ** 31 - 1, 2 ** 31 - 1), png(4097, 65), jpeg]) {
    const begun = process.cpuUsage();
    for (let round = 0; round < bombRounds; round++) {
      const code = await codeOf(decodePicture(bomb));
      demand(/^image_(?:too_large|unreadable)$/.test(code), `A bomb was answered ${code}.`);
    }
    const { user, system } = process.cpuUsage(begun);
    slowest = Math.max(slowest, (user + system) / 1000 / bombRounds);
  }
  demand(slowest < bombMs, `A bomb was refused after ${slowest.toFixed(0)} ms.`);
  return slowest.toFixed(1);
}
