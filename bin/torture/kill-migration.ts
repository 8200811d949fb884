/**
 * A database with an earlier schema whose upgrade is killed again and again. At every point, the
 * file must be complete and of one of the schemas in between, with every row; in the end an upgrade
 * that is not killed must succeed.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { currentSchema } from '../../src/ports/db/migrations.ts';
import { makeOlderDatabase } from '../../test/unit/ports/db/older-database.ts';
import { demand, type Proof } from './proof.ts';

const program = fileURLToPath(new URL('./open-database.ts', import.meta.url));
// So that the copy before the upgrade takes long enough to be interrupted.
const present = currentSchema('sqlite');
const rows = 20_000;
const killsAtMost = 10;
/**
 * About as long as an upgrade of this many rows takes: some kills come before its end, some after.
 */
const windowMs = 40;

/**
 * @returns how many processes were killed, and how many of them before the upgrade was complete.
 */
export async function killMigration({
  random,
}: Pick<Proof, 'random'>): Promise<{ readonly kills: number; readonly cutOff: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'forensics-migration-'));
  const path = join(folder, 'forensics.db');
  const from = 1 + Math.floor((present - 1) * random());
  makeOlderDatabase(path, from);
  fill(path);
  let [kills, cutOff] = [0, 0];
  let schema = from;
  while (kills < killsAtMost && schema < present) {
    if (await isKilled(path, windowMs * random())) kills += 1;
    schema = judge(path, from);
    if (schema < present) cutOff += 1;
  }
  const through = await isKilled(path, null);
  demand(!through && judge(path, from) === present, 'An upgrade failed.');
  const left = readdirSync(join(folder, 'backups')).filter((name) => name.endsWith('.db'));
  demand(left.length > 0, 'No copy was made before the upgrade.');
  for (const name of left) judge(join(folder, 'backups', name), from);
  rmSync(folder, { recursive: true, force: true });
  return { kills, cutOff };
}

function fill(path: string): void {
  const client = new Database(path);
  const add = client.prepare('INSERT INTO settings VALUES (?, ?)');
  client.transaction(() => {
    for (let n = 0; n < rows; n++) add.run(`row ${n}`, 'x'.repeat(100));
  })();
  client.close();
}

/**
 * @param afterMs - from the moment it begins to open the file; null to let it finish.
 * @returns whether a signal ended it.
 */
async function isKilled(path: string, afterMs: number | null): Promise<boolean> {
  const child = spawn(process.execPath, [program, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  if (afterMs !== null) {
    await setTimeout(afterMs);
    child.kill('SIGKILL');
  }
  const [code] = await ended;
  demand(code === 0 || code === null, `An upgrade after kills ended with ${code}.`);
  return code === null;
}

/** @returns its schema version. */
function judge(path: string, from: number): number {
  const client = new Database(path);
  try {
    const schema = Number(client.pragma('user_version', { simple: true }));
    const isOne = schema >= from && schema <= present;
    demand(isOne, `An upgrade from ${from} that was killed left the schema ${schema}.`);
    const verdict = String(client.pragma('integrity_check', { simple: true }));
    demand(verdict === 'ok', `An upgrade that was killed left a damaged file: ${verdict}`);
    const sql = "SELECT count(*) FROM settings WHERE key LIKE 'row %'";
    const kept = Number(client.prepare(sql).pluck().get());
    demand(kept === rows, `An upgrade that was killed left ${kept} of ${rows} rows.`);
    return schema;
  } finally {
    client.close();
  }
}
