/**
 * A process that changes a database is killed; then 64 bytes of the write-ahead log are damaged, anywhere. Where a change is
 * missing that was committed, the next opening says so; of a log that only a kill left it says nothing.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { settings } from '../../src/ports/db/schema.ts';
import { openDatabase } from '../../src/ports/db/sqlite.ts';
import { ForensicsError } from '../../src/errors.ts';
import { demand, type Proof } from './proof.ts';

const program = fileURLToPath(new URL('./write-until-killed.ts', import.meta.url));
const damagesAKill = 10;
const damagedBytes = 64;
const windowMs = 1000;
/** A page with its header. */
const frameBytes = 4096 + 24;

export function openDamagedLog(proof: Proof) {
  const folder = mkdtempSync(join(tmpdir(), 'forensics-log-'));
  const counts = { kills: 0, damages: 0, losses: 0, harmless: 0 };

  return {
    async round(): Promise<void> {
      const killed = join(folder, 'killed.db');
      const written = await writeUntilKilled(killed, windowMs * proof.random());
      counts.kills += 1;
      const whole = await judge(copyOf(killed), written, 'After a kill');
      demand(!whole.isTold, 'A log that a kill left whole was called damaged.');
      const size = readFileSync(`${killed}-wal`).length;
      const end = Math.min(size, endOfLast(killed)) - damagedBytes;
      const damages = end > 0 ? damagesAKill : 0;
      for (let n = 0; n < damages; n++) {
        // Every second one near the end, where nothing that follows bears witness.
        const from = n % 2 === 0 ? Math.max(0, end - 3 * frameBytes) : 0;
        const at = from + Math.floor((end - from) * proof.random());
        const path = copyOf(killed);
        damage(`${path}-wal`, at);
        const { isTold, missing } = await judge(path, written, `Damage at ${at} of ${end}`);
        counts.damages += 1;
        if (missing > 0) counts.losses += 1;
        if (isTold && missing === 0) counts.harmless += 1;
      }
      for (const suffix of sideFiles) rmSync(`${killed}${suffix}`, { force: true });
    },
    async close(): Promise<void> {
      rmSync(folder, { recursive: true, force: true });
      proof.note('kills that left a log, none called damaged', counts.kills);
      proof.note('logs damaged', counts.damages);
      proof.note('of these with changes lost, each told', counts.losses);
      proof.note('of these told with nothing lost', counts.harmless);
    },
  };
}

async function judge(path: string, written: readonly string[], what: string) {
  const { isTold, missing } = await opening(path, written);
  demand(isTold || missing === 0, `${what}: ${missing} changes are lost without a word.`);
  return { isTold, missing };
}

/** @returns the changes that were committed. */
async function writeUntilKilled(path: string, afterMs: number): Promise<readonly string[]> {
  const child = spawn(process.execPath, [program, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const said = text(child.stdout);
  await once(child.stdout, 'data');
  await setTimeout(afterMs);
  child.kill('SIGKILL');
  return (await said).split('\n').filter(Boolean);
}

const sideFiles = ['', '-wal', '-shm'];

function copyOf(from: string): string {
  const path = join(mkdtempSync(`${from}-`), 'forensics.db');
  for (const suffix of sideFiles) copyFileSync(`${from}${suffix}`, `${path}${suffix}`);
  return path;
}

/** Where the last transaction in the log ends: behind it lies what is left of earlier generations. */
function endOfLast(path: string): number {
  const frames = readFileSync(`${path}-shm`).readUInt32LE(16);
  return 32 + frames * frameBytes;
}

function damage(file: string, at: number): void {
  const bytes = readFileSync(file);
  for (let i = at; i < at + damagedBytes; i++) bytes[i]! ^= 0x5a;
  writeFileSync(file, bytes);
}

/** The next start. A file that it refuses as damaged is one it tells of. */
async function opening(path: string, written: readonly string[]) {
  try {
    const opened = openDatabase({ path });
    const rows = await opened.db.select({ key: settings.key }).from(settings).all();
    await opened.close();
    const kept = new Set(rows.map(({ key }) => key));
    return {
      isTold: opened.loss !== null,
      missing: written.filter((key) => !kept.has(key)).length,
    };
  } catch (error) {
    if (!(error instanceof ForensicsError) || error.code !== 'database_damaged') throw error;
    return { isTold: true, missing: written.length };
  } finally {
    rmSync(join(path, '..'), { recursive: true, force: true });
  }
}
