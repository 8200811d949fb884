/**
 * A server on its own disk that becomes full: every request must be answered, with 507 and an
 * explanation if it needs to write, and the server must recover by itself once there is room. A
 * server whose disk is read-only must say so and exit. Also a server whose disk fails now and then.
 */

import { mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { sceneJpeg } from '../../test/fixtures/pictures.ts';
import { startCli } from '../../test/cli/run-cli.ts';
import { clientOf, only, startServing } from '../../test/journeys/serving.ts';
import { openFailingDisk } from './io-errors.ts';
import { fill, mount, unmount } from './own-disk.ts';
import { demand, Fault, type Proof } from './proof.ts';

const size = { width: 96, height: 96 };
const options = { model: 'trace-3' };

export async function proveDisk(proof: Proof): Promise<void> {
  const ownDisk = await openOwnDisk(proof);
  const failingDisk = await openFailingDisk(proof);
  if (ownDisk === null) {
    proof.note('full and read-only skipped', 'this user may not mount a file system of its own');
  }
  if (failingDisk === null) proof.note('a failing disk skipped', 'there is no C compiler (cc)');
  const disks = [ownDisk, failingDisk].filter((disk) => disk !== null);
  try {
    do {
      for (const disk of disks) await disk.round();
    } while (!proof.isOver());
    for (const disk of disks) await disk.close();
  } finally {
    ownDisk?.unmount();
  }
}

/** Null if it cannot be mounted. */
async function openOwnDisk(proof: Proof) {
  const folder = mkdtempSync(join(tmpdir(), 'forensics-disk-'));
  if (!mount(folder, 'size=160m')) return null;
  const serving = await startServing(folder);
  const client = clientOf(serving, 'default', serving.ready.apiKey ?? '');
  let rounds = 0;
  return {
    async round(): Promise<void> {
      await fillAndFree(client, folder, proof);
      rounds += 1;
    },
    async close(): Promise<void> {
      const code = await serving.end('SIGTERM');
      demand(code === 0, `The server ended with ${code}.`);
      proof.note('times full and free again', rounds);
      await proveReadOnly(proof, folder);
    },
    unmount: () => unmount(folder),
  };
}

async function proveReadOnly(proof: Proof, folder: string): Promise<void> {
  mount(folder, 'remount,ro');
  const { code, stderr } = await startCli(['serve', '--data-dir', folder, '--port', '0']);
  demand(code !== 0 && code !== null, `serve on a read-only disk: ${code}`);
  const isWords = /is mounted read-only/.test(stderr) && !/\n\s+at /.test(stderr);
  demand(isWords, `serve on a read-only disk said: ${stderr}`);
  proof.note('on a read-only disk', stderr.trim().split('\n').at(-1) ?? '');
}

type Client = ReturnType<typeof clientOf>;

/** Enough to start a run, too little for what it may write. */
const littleRoomBytes = 40_000_000;

async function fillAndFree(client: Client, folder: string, proof: Proof): Promise<void> {
  const picture = await sceneJpeg({ ...size, seed: 1 });
  const make = async () => client.create({ format: 'jpg', ...size, options });
  const before = await make();
  const empty = await make();
  await client.upload(before, picture);
  const ballast = join(folder, 'ballast');
  fill(ballast);
  const body = {
    name: 'A',
    type: 'image',
    input: { version: 'v1', filename: 'a.jpg', format: 'jpg', ...size, options },
  };
  const answers = {
    create: await refusedAtLast(client, body),
    upload: await client.upload(empty, picture),
    start: await client.send('POST', '/start', { id: before.id }),
    delete: await client.send('DELETE', '', { id: empty.id }),
    read: await client.get(before.id),
  };
  for (const [what, { status, body: said }] of Object.entries(answers)) {
    proof.note(`${what} on a full disk`, status);
    demand(status === 507 || status === 200, `${what} was answered ${status}: ${said.toString()}`);
    const isTold = status === 200 || /space|full|room/i.test(said.toString());
    demand(isTold, `${what} was answered without an explanation: ${said.toString()}`);
  }
  demand(answers.read.status === 200, 'Reading fails on a full disk.');
  demand(answers.create.status === 507, `create was answered ${answers.create.status}`);
  truncateSync(ballast, statSync(ballast).size - littleRoomBytes);
  // A start that succeeded on the full disk is not repeated.
  if (answers.start.status === 507) {
    const again = await client.send('POST', '/start', { id: before.id });
    demand(again.status === 200, `A start after room was made: ${again.body.toString()}`);
  }
  await setTimeout(1500);
  const { status } = only(await client.get(before.id)).inferenceStatus;
  demand(status === 'pending', `A run that there is no room for is ${status}.`);
  rmSync(ballast);
  const done = await client.until(before.id, ['completed', 'failed']);
  demand(done.inferenceStatus.status === 'completed', done.inferenceStatus.statusMessage);
  await make();
}

/** The database log has room for some changes; none of those may be lost. */
async function refusedAtLast(client: Client, body: object) {
  for (let made = 0; made < 2000; made++) {
    const answer = await client.send('POST', '', body);
    if (answer.status !== 200) return answer;
    const { status } = await client.get(only(answer).id);
    demand(status === 200, 'An acknowledged analysis is missing.');
  }
  throw new Fault('2,000 analyses were created although nothing can be written.');
}
