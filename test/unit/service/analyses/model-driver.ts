/** Applies events to the real module, and returns the outcome in the model's terms. */

import { asc, eq } from 'drizzle-orm';
import { expect } from 'vitest';
import type { Caller } from '../../../../src/service/analyses/context.ts';
import { runJob } from '../../../../src/service/analyses/lifecycle/client.ts';
import { parseEntry, readLines } from '../../../../src/service/audit/entry.ts';
import { verifyChain } from '../../../../src/service/audit/log.ts';
import type { Analysis } from '../../../../src/contract/analysis.ts';
import { deliveries, jobs, usageCounters } from '../../../../src/ports/db/schema.ts';
import type { Examination } from '../../../../src/detectors/result.ts';
import { ForensicsError } from '../../../../src/contract/errors.ts';
import type { ExamineRequest } from '../../../../src/examiner/requests.ts';
import { sceneJpeg } from '../../../fixtures/pictures.ts';
import {
  counted,
  type Event,
  type Expected,
  leaseMs,
  type Outcome,
  type Tier,
  type Upload,
} from './model.ts';
import { examinationOf } from './scripted-sandbox.ts';
import { createRequest, height, type openWorkshop, picture, width } from './workshop.ts';

type Workshop = Awaited<ReturnType<typeof openWorkshop>>;

const uploads: Readonly<Record<Upload, Uint8Array>> = {
  picture,
  otherPicture: await sceneJpeg({ width, height, seed: 2 }),
  wrongPicture: await sceneJpeg({ width: width + 8, height, seed: 1 }),
};

const failures = {
  crash: 'inference_crashed',
  brokenPicture: 'image_unreadable',
  busy: 'inference_busy',
} as const satisfies Record<Exclude<Outcome, 'found'>, ForensicsError['code']>;

type Examine = (request: ExamineRequest) => Promise<Examination>;

export interface Stage {
  readonly workshop: Workshop;
  /** Simultaneous callers use different processes, which share nothing in memory. */
  readonly processes: readonly Awaited<ReturnType<Workshop['openProcess']>>[];
  /** Sets what the sandbox does with the next examination. */
  onNextExamination(examine: Examine): void;
}

/** What all sequences share: opening a process takes longer than a sequence. */
export async function createStage(workshop: Workshop): Promise<Stage> {
  let next: Examine;
  let isSet = false;
  return {
    workshop,
    processes: [workshop, await workshop.openProcess('two')],
    onNextExamination(examine) {
      next = examine;
      // Still set if the last run had nothing to do.
      if (isSet) return;
      isSet = true;
      workshop.sandbox.next(async (request) => {
        isSet = false;
        return next(request);
      });
    },
  };
}

/** @param caller - of a tenant that has not been used. */
export async function createDriver(stage: Stage, caller: Caller) {
  const { analyses, queue, clock, db, stores } = stage.workshop;
  const { store } = await stores.current(caller.tenant.id);
  const made: Analysis[] = [];
  /** Running examinations, including those whose worker lost its lease. */
  const holders: { end: (outcome: Outcome) => void; run: Promise<void> }[] = [];

  async function create(tier: Tier): Promise<readonly string[]> {
    const input = { ...createRequest().input, options: { tier } };
    made.push(await analyses.create(caller, { ...createRequest(), input }));
    return ['done'];
  }

  async function take(dies: boolean): Promise<string> {
    const job = await queue.claim({ workerId: 'worker', leaseMs, kinds: [runJob] });
    if (job === null) return 'idle';
    if (dies) return 'died';
    const begun = Promise.withResolvers<'running'>();
    const outcome = Promise.withResolvers<Outcome>();
    stage.onNextExamination(async (request) => {
      begun.resolve('running');
      const result = await outcome.promise;
      if (result === 'found') return examinationOf(request);
      throw new ForensicsError(failures[result], 'As the sequence says.');
    });
    const run = analyses.run(job, { signal: new AbortController().signal });
    const first = await Promise.race([begun.promise, run.then(() => 'nothing to do')]);
    if (first === 'running') holders.push({ end: outcome.resolve, run });
    return first;
  }

  async function finish(which: number, outcome: Outcome): Promise<string> {
    const [holder] = holders.splice(which % holders.length, 1);
    holder!.end(outcome);
    return outcomeOf(holder!.run);
  }

  /** The answers to the callers, sorted. */
  async function act(event: Event): Promise<readonly string[]> {
    if (event.act === 'create') return create(event.tier);
    if (event.act === 'take') return [await take(event.dies)];
    if (event.act === 'finish') return [await finish(event.which, event.outcome)];
    if (event.act === 'wait') {
      clock.step(event.ms);
      return ['done'];
    }
    const { id, input } = made[event.which]!;
    if (event.act === 'upload') {
      await store.put(input.storageUrls.objectKey, uploads[event.what]);
      return ['done'];
    }
    if (event.act === 'remove') return [await outcomeOf(analyses.remove(caller, id))];
    const outcomes = stage.processes.slice(0, event.callers).map(async (process) => {
      if (event.act === 'start') return outcomeOf(process.analyses.start(caller, id));
      return outcomeOf(process.analyses.retry(caller, { id, options: event.options }));
    });
    return (await Promise.all(outcomes)).toSorted();
  }

  const ofTenant = (table: typeof deliveries | typeof usageCounters) =>
    eq(table.tenantId, caller.tenant.id);

  return {
    act,
    /** The analyses as their owner reads them; null if not found. */
    read: async (analysesOfModel: readonly Expected[]) =>
      Promise.all(
        analysesOfModel.map(async ({ number }) =>
          analyses.get(caller, made[number]!.id).then(shown, (error: unknown) => {
            if (codeOf(error) === 'analysis_not_found') return null;
            throw error;
          }),
        ),
      ),
    messages: async () =>
      (
        await db
          .select()
          .from(deliveries)
          .where(ofTenant(deliveries))
          .orderBy(asc(deliveries.seq))
          .all()
      ).map(({ event, payload, subject }) => {
        const { status }: { status: string } = JSON.parse(payload);
        return { number: made.findIndex(({ id }) => id === subject), event, status };
      }),
    /** The audit log's events about analyses, in order, without the prefix `analysis.`. */
    logged: async () => {
      const chain = caller.tenant.id;
      expect((await verifyChain(db, chain, { isExpected: true })).broken).toBeNull();
      return (await readLines(db, { chain }))
        .map(parseEntry)
        .filter(({ event }) => event.startsWith('analysis.'))
        .map(({ subject, event }) => {
          const number = made.findIndex(({ id }) => id === subject);
          return { number, event: event.replace('analysis.', '') };
        });
    },
    counters: async () => {
      const rows = await db.select().from(usageCounters).where(ofTenant(usageCounters)).all();
      const sumOf = (name: string) =>
        rows.reduce((sum, { counter, amount }) => sum + (counter === name ? amount : 0), 0);
      return Object.fromEntries(counted.map((name) => [name, sumOf(name)]));
    },
    jobs: () => db.$count(jobs),
    /** Cleans up for the next sequence. */
    async end() {
      await db.delete(jobs).run();
      for (const { end } of holders) end('crash');
      await Promise.allSettled(holders.map(({ run }) => run));
    },
  };
}

async function outcomeOf(act: Promise<unknown>): Promise<string> {
  return act.then(() => 'done', codeOf);
}

function codeOf(error: unknown): string {
  if (error instanceof ForensicsError) return error.code;
  throw error;
}

function shown({ input, inferenceStatus, tierUpgradedFrom }: Analysis) {
  const { status, retryCount, processingStartTime, processingFinishTime, result } = inferenceStatus;
  const { tier, seed } = input.options;
  return {
    status,
    retryCount,
    tier,
    seed,
    upgradedFrom: tierUpgradedFrom,
    startedAt: processingStartTime,
    finishedAt: processingFinishTime,
    resultClass: result?.resultClass ?? null,
    hasHeatmaps: (result?.heatmaps ?? null) !== null,
  };
}
