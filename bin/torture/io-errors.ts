/**
 * A server whose disk fails now and then: one in N reads, writes and flushes of its data folder
 * fails with EIO, through a library that is loaded before the C library. Every request must be
 * answered, with an explanation if it fails. What was acknowledged must exist once the disk works
 * again, and the server must recover without a restart.
 */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { runCli } from '../../test/cli/run-cli.ts';
import { sceneJpeg } from '../../test/fixtures/pictures.ts';
import { clientOf, only, startServing } from '../../test/journeys/serving.ts';
import type { Answer } from '../../test/unit/server/open-server.ts';
import { demand, pick, type Proof } from './proof.ts';

const size = { width: 96, height: 96 };
const options = { model: 'trace-3' };
const source = fileURLToPath(new URL('./io-errors.c', import.meta.url));
/** One call in this many fails. */
const rates = [5, 20, 100];
const actsARound = 30;

type Client = ReturnType<typeof clientOf>;

/** Null without a C compiler. */
export async function openFailingDisk(proof: Proof) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'forensics-faults-')));
  const library = join(folder, 'io-errors.so');
  if (!compile(library)) {
    rmSync(folder, { recursive: true });
    return null;
  }
  const [dataDir, rateFile] = [join(folder, 'data'), join(folder, 'rate')];
  const serving = await startServing(dataDir, {
    LD_PRELOAD: library,
    FAULTS_FOLDER: dataDir,
    FAULTS_RATE: rateFile,
    FAULTS_SEED: String(proof.seed),
  });
  const client = clientOf(serving, 'default', serving.ready.apiKey ?? '');
  const picture = await sceneJpeg({ ...size, seed: 1 });
  const [made, started] = [new Set<string>(), new Set<string>()];
  const codes = new Map<string, number>();

  /** @returns whether the request succeeded. */
  function judge(what: string, { status, body }: Answer): boolean {
    const text = body.toString();
    codes.set(`${what}: ${status}`, (codes.get(`${what}: ${status}`) ?? 0) + 1);
    // To SQLite, unreadable data looks like damage; the message leaves both open.
    const isUnread = status === 500 && text.includes('its disk is failing, or the file is damaged');
    const isKnown = status === 200 || status === 503 || status === 507 || isUnread;
    demand(isKnown, `On a failing disk ${what} was answered ${status}: ${text}`);
    demand(
      status === 200 || /disk|store/i.test(text),
      `${what} was answered without an explanation: ${text}`,
    );
    return status === 200;
  }

  async function actOnce(): Promise<void> {
    const answer = await client.send('POST', '', creation);
    if (!judge('create', answer)) return;
    const one = only(answer);
    made.add(one.id);
    if (!judge('upload', await client.upload(one, picture))) return;
    if (judge('start', await client.send('POST', '/start', { id: one.id }))) started.add(one.id);
    judge('read', await client.get(pick(proof.random, [...made])));
  }

  return {
    async round(): Promise<void> {
      writeFileSync(rateFile, String(pick(proof.random, rates)));
      for (let n = 0; n < actsARound; n++) await actOnce();
      rmSync(rateFile);
      for (const id of made) {
        const { status } = await client.get(id);
        demand(status === 200, `${id} was acknowledged and is answered ${status}.`);
      }
      await completed(client, started);
    },
    async close(): Promise<void> {
      const code = await serving.end('SIGTERM');
      demand(code === 0, `The server on a failing disk ended with ${code}.`);
      await judgeFolder(dataDir, started.size);
      for (const [what, many] of codes) proof.note(`on a failing disk, ${what}`, many);
      proof.note('on a failing disk, completed and billed once', started.size);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const creation = {
  name: 'A',
  type: 'image',
  input: { version: 'v1', filename: 'a.jpg', format: 'jpg', ...size, options },
};

function compile(library: string): boolean {
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function completed(client: Client, started: ReadonlySet<string>): Promise<void> {
  for (const id of started) {
    const { inferenceStatus } = await client.until(id, ['completed', 'failed']);
    const { status, statusMessage } = inferenceStatus;
    demand(status === 'completed', `${id} was started and is ${status}: ${statusMessage}`);
  }
}

async function judgeFolder(dataDir: string, started: number): Promise<void> {
  const audit = await runCli(['audit', 'verify', '--data-dir', dataDir]);
  demand(audit.code === 0, `The audit log is not intact: ${audit.stdout}${audit.stderr}`);
  const db = new Database(join(dataDir, 'forensics.db'), { readonly: true });
  const verdict = String(db.pragma('integrity_check', { simple: true }));
  const sql =
    "SELECT coalesce(sum(amount), 0) FROM usage_counters WHERE counter = 'billed.flagging'";
  const billed = Number(db.prepare(sql).pluck().get());
  db.close();
  demand(verdict === 'ok', `The database is damaged: ${verdict}`);
  demand(billed >= started, `${billed} billed, ${started} acknowledged.`);
}
