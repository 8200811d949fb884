/**
 * The life of analyses according to the contract's table and the design, implemented a second time without a database, a
 * queue or a sandbox. Each event returns the answer to every caller and updates what is expected of the analyses.
 */

export type Tier = 'flagging' | 'forensicReporting';
export type Upload = 'picture' | 'otherPicture' | 'wrongPicture';
export type Outcome = 'found' | 'crash' | 'brokenPicture' | 'busy';
export type RetryOptions = { readonly tier?: Tier; readonly seed?: number; readonly colour?: 1 };

export type Event =
  | { readonly act: 'create'; readonly tier: Tier }
  | { readonly act: 'upload'; readonly which: number; readonly what: Upload }
  /** By `callers` at the same time. */
  | { readonly act: 'start'; readonly which: number; readonly callers: 1 | 2 }
  | {
      readonly act: 'retry';
      readonly which: number;
      readonly callers: 1 | 2;
      readonly options: RetryOptions;
    }
  | { readonly act: 'remove'; readonly which: number }
  /** A worker claims a job that is due, and does nothing with it if it dies at once. */
  | { readonly act: 'take'; readonly dies: boolean }
  /** One of the running examinations ends, possibly that of a worker that lost its lease long ago. */
  | { readonly act: 'finish'; readonly which: number; readonly outcome: Outcome }
  | { readonly act: 'wait'; readonly ms: number };

interface Job {
  readonly order: number;
  dueAt: number;
  claims: number;
  isLeased: boolean;
}

export interface Expected {
  readonly number: number;
  status: 'pending' | 'processing' | 'completed' | 'failed';
  retryCount: number;
  tier: Tier;
  upgradedFrom: Tier | null;
  seed: number;
  startedAt: number | null;
  finishedAt: number | null;
  isDeleted: boolean;
  isQueued: boolean;
  upload: Upload | null;
  /** Whether the picture was copied: from then on no upload changes anything. */
  hasEvidence: boolean;
  job: Job | null;
}

interface Holder {
  readonly analysis: Expected;
  readonly job: Job;
  readonly claim: number;
}

export interface Model {
  readonly isTrial: boolean;
  now: number;
  readonly analyses: Expected[];
  readonly holders: Holder[];
  /** Webhook messages of the tenant, oldest first. */
  readonly messages: { readonly number: number; readonly event: string; readonly status: string }[];
  readonly counters: Counters;
  jobsMade: number;
}

export const leaseMs = 60_000;
export const maxAnalyses = 3;
const retryPausesMs = [1000, 5000, 20_000];

/** What is billed and reported, as far as the table determines it. */
const nothingCounted = {
  'billed.flagging': 0,
  'billed.forensicReporting': 0,
  'success.api': 0,
  'result.fake': 0,
  upgrades: 0,
  errors: 0,
  retries: 0,
  runs: 0,
  backpressure: 0,
};
export type Counters = Record<keyof typeof nothingCounted, number>;
export const counted = Object.keys(nothingCounted);

export function createModel(isTrial: boolean, now: number): Model {
  const counters = { ...nothingCounted };
  return { isTrial, now, analyses: [], holders: [], messages: [], counters, jobsMade: 0 };
}

/** The answers to the callers, sorted: `done` or an error code. Null if the event makes no sense now. */
export function apply(model: Model, event: Event): readonly string[] | null {
  if (event.act === 'create') return create(model, event.tier);
  if (event.act === 'take') return [take(model, event.dies)];
  if (event.act === 'finish') return finish(model, event.which, event.outcome);
  if (event.act === 'wait') {
    model.now += event.ms;
    return ['done'];
  }
  const analysis = model.analyses[event.which];
  return analysis === undefined ? null : applyToOne(model, analysis, event);
}

type ActOnOne = Extract<Event, { readonly act: 'upload' | 'start' | 'retry' | 'remove' }>;

function applyToOne(model: Model, analysis: Expected, event: ActOnOne): readonly string[] {
  if (event.act === 'upload') {
    analysis.upload = event.what;
    return ['done'];
  }
  const callers = event.act === 'remove' ? 1 : event.callers;
  // One after the other: two callers at once get the answers that they would get in some order.
  return Array.from({ length: callers }, () => {
    if (analysis.isDeleted) return 'analysis_not_found';
    if (event.act === 'start') return start(model, analysis);
    if (event.act === 'retry') return retry(model, analysis, event.options);
    analysis.isDeleted = true;
    notify(model, analysis, 'delete');
    return 'done';
  }).toSorted();
}

function create(model: Model, tier: Tier): readonly string[] | null {
  if (model.analyses.length >= maxAnalyses) return null;
  model.analyses.push({
    number: model.analyses.length,
    status: 'pending',
    retryCount: 0,
    tier,
    upgradedFrom: null,
    seed: 1337,
    startedAt: null,
    finishedAt: null,
    isDeleted: false,
    isQueued: false,
    upload: null,
    hasEvidence: false,
    job: null,
  });
  return ['done'];
}

function start(model: Model, analysis: Expected): string {
  if (analysis.status !== 'pending' || analysis.isQueued) return 'analysis_not_pending';
  if (analysis.upload === null) return 'upload_missing';
  const refusal = refusalOf(model, analysis.upload);
  if (refusal !== null) {
    analysis.status = 'failed';
    notify(model, analysis, 'update');
    return refusal;
  }
  queueRun(model, analysis);
  return 'done';
}

function retry(model: Model, analysis: Expected, options: RetryOptions): string {
  if (options.colour !== undefined) return 'invalid_request';
  const { tier = analysis.tier, seed = analysis.seed } = options;
  if (analysis.tier === 'forensicReporting' && tier === 'flagging') return 'tier_downgrade';
  if (analysis.status === 'failed') {
    const refusal = analysis.hasEvidence ? null : refusalOf(model, analysis.upload!);
    if (refusal !== null) return refusal;
    Object.assign(analysis, { status: 'pending', retryCount: 0, tier, seed });
    Object.assign(analysis, { startedAt: null, finishedAt: null });
    queueRun(model, analysis);
    count(model, 'retries');
    return 'done';
  }
  const isUpgrade = tier !== analysis.tier && seed === analysis.seed;
  if (analysis.status !== 'completed' || !isUpgrade) return 'analysis_not_retryable';
  analysis.upgradedFrom = analysis.tier;
  analysis.tier = tier;
  count(model, 'upgrades');
  count(model, 'billed.forensicReporting');
  return 'done';
}

function refusalOf({ isTrial }: Model, upload: Upload): string | null {
  if (isTrial && upload !== 'picture') return 'trial_image_mismatch';
  return upload === 'wrongPicture' ? 'image_not_as_declared' : null;
}

function queueRun(model: Model, analysis: Expected): void {
  analysis.isQueued = true;
  analysis.hasEvidence = true;
  analysis.job = { order: model.jobsMade++, dueAt: model.now, claims: 0, isLeased: false };
}

/** The analysis whose job has been due longest. */
export function nextDue({ analyses, now }: Model): Expected | undefined {
  const due = analyses.filter(({ job }) => job !== null && job.dueAt <= now);
  return due.toSorted((a, b) => a.job!.dueAt - b.job!.dueAt || a.job!.order - b.job!.order)[0];
}

function take(model: Model, dies: boolean): string {
  const analysis = nextDue(model);
  if (analysis === undefined) return 'idle';
  const job = analysis.job!;
  Object.assign(job, { claims: job.claims + 1, isLeased: true, dueAt: model.now + leaseMs });
  if (dies) return 'died';
  if (analysis.isDeleted) {
    analysis.job = null;
    return 'nothing to do';
  }
  if (analysis.status === 'pending') {
    Object.assign(analysis, { status: 'processing', startedAt: model.now });
    count(model, 'runs');
    notify(model, analysis, 'update');
  }
  model.holders.push({ analysis, job, claim: job.claims });
  return 'running';
}

function finish(model: Model, which: number, outcome: Outcome): readonly string[] | null {
  if (model.holders.length === 0) return null;
  const [holder] = model.holders.splice(which % model.holders.length, 1);
  const { analysis, job, claim } = holder!;
  const isOurs = analysis.job === job && job.claims === claim && job.isLeased;
  if (!isOurs) return ['lease_lost'];
  if (outcome === 'busy') putBack(model, job, Math.min(30_000, 500 * 2 ** Math.min(claim, 10)));
  else if (outcome === 'crash' && analysis.retryCount < 3)
    putBack(model, job, retryPausesMs[analysis.retryCount]!);
  else analysis.job = null;
  if (!analysis.isDeleted) settle(model, analysis, outcome);
  return ['done'];
}

function settle(model: Model, analysis: Expected, outcome: Outcome): void {
  if (outcome === 'busy') {
    Object.assign(analysis, { status: 'pending', startedAt: null });
    count(model, 'backpressure');
    notify(model, analysis, 'update');
  } else if (outcome === 'found') {
    Object.assign(analysis, { status: 'completed', finishedAt: model.now });
    count(model, `billed.${analysis.tier}`);
    count(model, 'success.api');
    count(model, 'result.fake');
    notify(model, analysis, 'update');
  } else if (outcome === 'crash' && analysis.retryCount < 3) countRetry(model, analysis);
  else fail(model, analysis);
}

function putBack(model: Model, job: Job, pauseMs: number): void {
  Object.assign(job, { isLeased: false, dueAt: model.now + pauseMs });
}

function countRetry(model: Model, analysis: Expected): void {
  analysis.retryCount++;
  count(model, 'retries');
}

function fail(model: Model, analysis: Expected): void {
  Object.assign(analysis, { status: 'failed', finishedAt: model.now, job: null });
  count(model, 'errors');
  notify(model, analysis, 'update');
}

function notify(model: Model, { number, status }: Expected, event: string): void {
  model.messages.push({ number, event, status });
}

function count(model: Model, counter: keyof Counters): void {
  model.counters[counter]++;
}
