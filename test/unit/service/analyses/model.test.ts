/** Random sequences of events, applied to the real module and to a model of the contract's table. */

import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { assert, asyncProperty, constantFrom } from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createDriver, createStage, type Stage } from './model-driver.ts';
import { anySequence } from './model-events.ts';
import { apply, createModel, type Event, type Expected, type Model } from './model.ts';
import { openWorkshop, picture } from './workshop.ts';

const { FORENSICS_TEST_SEQUENCES: given } = process.env;
// Always the same in the ordinary run, because every row must be covered; others in the long run.
const parameters = given === undefined ? { numRuns: 100, seed: 1337 } : { numRuns: Number(given) };

test(`in ${parameters.numRuns} random sequences every act, state, message and count matches the table`, async () => {
  const workshop = await openWorkshop({
    trialMd5s: [createHash('md5').update(picture).digest('hex')],
  });
  const stage = await createStage(workshop);
  await disableSyncs(stage);
  const covered = new Set<string>();
  let tenants = 0;

  await assert(
    asyncProperty(constantFrom(false, false, true), anySequence, async (isTrial, events) => {
      const caller = await workshop.openTenant(`tenant-${tenants++}`, isTrial);
      const driver = await createDriver(stage, caller);
      const model = createModel(isTrial, workshop.clock.now().getTime());
      try {
        for (const event of events) {
          const before = model.analyses.map(place);
          const expected = apply(model, event);
          if (expected === null) continue;
          for (const [number, from] of before.entries())
            covered.add(`${from} -> ${place(model.analyses[number]!)}`);
          expect(await driver.act(event)).toEqual(expected);
          if (event.act === 'wait') continue;
          const touched = touchedBy(event, model);
          expect(await driver.read(touched)).toEqual(touched.map(seen));
          expect(await driver.messages()).toEqual(model.messages);
          expect(await driver.counters()).toEqual(model.counters);
          expect(await driver.jobs()).toBe(jobsIn(model));
        }
        expect(await driver.read(model.analyses)).toEqual(model.analyses.map(seen));
        expectLog(await driver.logged(), model);
      } finally {
        await driver.end();
      }
    }),
    parameters,
  );

  expect([...covered]).toEqual(expect.arrayContaining(rows));
}, 120_000);

/** Thousands of syncs of database and files would take most of the time and prove nothing here. */
async function disableSyncs({ processes }: Stage): Promise<void> {
  if (process.env['FORENSICS_TEST_POSTGRES'] === undefined)
    for (const { db } of processes) db.$client.pragma('synchronous = OFF');
  const handle = await open('/dev/null');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the class of file handles is not exported
  const fileHandle = Object.getPrototypeOf(handle) as typeof handle;
  const sync = vi.spyOn(fileHandle, 'sync').mockResolvedValue();
  onTestFinished(() => sync.mockRestore());
  await handle.close();
}

/** Each message has its entry in the log, in the same order; so do retries and upgrades. */
function expectLog(log: readonly { number: number; event: string }[], model: Model): void {
  const others = { processing: 'begun', pending: 'rolled_back' };
  const expected = model.messages.map(({ number, event, status }) => {
    const words: Record<string, string> = { ...others, completed: status, failed: status };
    return { number, event: event === 'delete' ? 'deleted' : words[status] };
  });
  const count = (...events: string[]) => log.filter(({ event }) => events.includes(event)).length;
  const ofMessages = new Set(['begun', 'completed', 'failed', 'rolled_back', 'deleted']);

  expect(log.filter(({ event }) => ofMessages.has(event))).toEqual(expected);
  expect(count('created')).toBe(model.analyses.length);
  expect(count('received')).toBe(model.analyses.filter(({ hasEvidence }) => hasEvidence).length);
  expect(count('retried', 'restarted')).toBe(model.counters.retries);
  expect(count('upgraded')).toBe(model.counters.upgrades);
}

/** The rows of the contract's table. A row that the sequences miss would not be tested. */
const rows = [
  'pending -> processing',
  'pending -> failed',
  'processing -> completed',
  'processing -> processing, tried again',
  'processing, tried again -> completed',
  'processing, tried again -> failed',
  'processing -> pending',
  'failed -> pending',
  'completed -> completed, upgraded',
  ...['pending', 'processing', 'completed', 'failed'].map((status) => `${status} -> deleted`),
];

function place({ status, isDeleted, retryCount, upgradedFrom }: Expected): string {
  if (isDeleted) return 'deleted';
  if (status === 'processing' && retryCount > 0) return 'processing, tried again';
  return upgradedFrom === null ? status : `${status}, upgraded`;
}

/** Reading all after every event would take most of the time; the others are read at the end of a sequence. */
function touchedBy(event: Event, { analyses }: Model): readonly Expected[] {
  const isWorkers = event.act === 'take' || event.act === 'finish';
  if (isWorkers || event.act === 'create' || event.act === 'wait') return analyses;
  return [analyses[event.which]!];
}

/** What its owner reads; null if not found. */
function seen(expected: Expected) {
  const { status, retryCount, tier, seed, upgradedFrom, startedAt, finishedAt } = expected;
  if (expected.isDeleted) return null;
  const isDone = status === 'completed';
  return {
    status,
    retryCount,
    tier,
    seed,
    upgradedFrom,
    startedAt: timeOf(startedAt),
    finishedAt: timeOf(finishedAt),
    resultClass: isDone ? 1 : null,
    hasHeatmaps: isDone && tier === 'forensicReporting',
  };
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

function jobsIn({ analyses }: Model): number {
  return analyses.filter(({ job }) => job !== null).length;
}
