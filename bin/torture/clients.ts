/** Clients of a server that keeps being killed: they send requests and record the answers in the ledger. */

import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { type clientOf, only } from '../../test/journeys/serving.ts';
import type { Ledger, Tier } from './ledger.ts';
import { demand } from './proof.ts';

export const size = { width: 96, height: 96 };
export type Client = Pick<
  ReturnType<typeof clientOf>,
  'send' | 'get' | 'create' | 'upload' | 'until' | 'download'
>;

interface Asking {
  readonly ledger: Ledger;
  readonly random: () => number;
  readonly picture: Buffer;
}

/** One client: records every answer in the ledger; a request without an answer may or may not have taken effect. */
export async function work(
  asking: Asking,
  client: Client,
  end: { readonly now: boolean },
): Promise<void> {
  while (!end.now) {
    try {
      await doSomething(asking, client);
    } catch (error) {
      // A broken connection is expected; a fault found by the ledger is rethrown.
      if (error instanceof Error && error.name === 'Fault') throw error;
      await setTimeout(20);
    }
  }
}

async function doSomething({ ledger, random, picture }: Asking, client: Client): Promise<void> {
  const dice = random();
  const known = ledger.one(random);
  if (known === null || dice < 0.5) {
    const tier: Tier = random() < 0.8 ? 'flagging' : 'forensicReporting';
    const options = { tier, model: 'trace-3' };
    const made = await ledger.create(async () =>
      client.create({ format: 'jpg', ...size, options }),
    );
    const put = await client.upload(made, picture);
    const isStarted =
      put.status === 200 && (await ledger.start(made.id, async () => start(client, made.id)));
    // Otherwise the queue only grows, and hardly any analysis is completed and ready for an
    // upgrade.
    if (isStarted && random() < 0.6) {
      await ended(client, made.id);
      await upgrade(ledger, client, made.id);
    }
  } else if (dice < 0.7) {
    await ledger.start(known, async () => start(client, known));
  } else if (dice < 0.85) {
    await upgrade(ledger, client, known);
  } else if (dice < 0.9) {
    await ledger.remove(known, async () => client.send('DELETE', '', { id: known }));
  } else {
    ledger.look(known, await client.get(known));
  }
  await setTimeout(100 * random());
}

/** Polls less often than an ordinary test: many clients wait here, and polling takes CPU that runs need. */
async function ended(client: Client, id: string): Promise<void> {
  for (;;) {
    const { status } = only(await client.get(id)).inferenceStatus;
    if (status === 'completed' || status === 'failed') return;
    await setTimeout(200);
  }
}

async function upgrade(ledger: Ledger, client: Client, id: string): Promise<void> {
  const options = { tier: 'forensicReporting' };
  await ledger.upgrade(id, async () => client.send('POST', '/retry', { id, options }));
}

async function start(client: Client, id: string) {
  return client.send('POST', '/start', { id });
}

/** Requested just before the server is killed: the answer may not come. */
export async function cutOffUpgrade(
  { ledger }: Pick<Asking, 'ledger'>,
  client: Client,
  id: string,
): Promise<void> {
  try {
    await upgrade(ledger, client, id);
  } catch (error) {
    if (error instanceof Error && error.name === 'Fault') throw error;
  }
}

/**
 * A picture that is still being uploaded when the server is killed. If all of it arrives, the run
 * is started.
 *
 * @returns whether the upload was cut off.
 */
export async function cutOffUpload({ ledger, picture }: Asking, client: Client): Promise<boolean> {
  let isUnderWay = false;
  try {
    const made = await ledger.create(async () => client.create({ format: 'jpg', ...size }));
    isUnderWay = true;
    const headers = { 'content-length': String(picture.length) };
    const put = await client.upload(made, Readable.from(inPieces(picture)), { headers });
    isUnderWay = false;
    demand(put.status === 200, `An upload in pieces was answered ${put.status}.`);
    await ledger.start(made.id, async () => start(client, made.id));
    return false;
  } catch (error) {
    if (error instanceof Error && error.name === 'Fault') throw error;
    return isUnderWay;
  }
}

const pieces = 8;
const betweenPiecesMs = 60;

async function* inPieces(bytes: Buffer): AsyncGenerator<Buffer> {
  const step = Math.ceil(bytes.length / pieces);
  for (let at = 0; at < bytes.length; at += step) {
    yield bytes.subarray(at, at + step);
    await setTimeout(betweenPiecesMs);
  }
}

// How long everything that was started may take, whatever the amount, before it counts as stuck.
export const patienceMs = 15 * 60_000;

/** Nothing is killed any more: everything that was acknowledged must complete. */
export async function settle(
  { ledger, counts }: { readonly ledger: Ledger; readonly counts: Map<string, number> },
  client: Client,
): Promise<void> {
  const untilMs = performance.now() + patienceMs;
  const retried = new Set<string>();
  for (const id of ledger.started()) {
    for (;;) {
      const answer = await client.get(id);
      if (answer.status === 404) break;
      const { status, statusMessage } = only(answer).inferenceStatus;
      if (status === 'completed') break;
      demand(performance.now() < untilMs, `${id} is stuck: ${status}, ${statusMessage}`);
      // A picture is given up after four child processes died of it; here the test killed them.
      if (status === 'failed') {
        demand(!retried.has(id), `${id} failed although nothing was killed: ${statusMessage}`);
        retried.add(id);
        await client.send('POST', '/retry', { id });
      }
      await setTimeout(100);
    }
  }
  const what = 'runs given up after kills of their children';
  counts.set(what, (counts.get(what) ?? 0) + retried.size);
}
