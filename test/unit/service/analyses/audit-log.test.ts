import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readNamedCustody } from '../../../../src/service/analyses/custody.ts';
import { createHolds } from '../../../../src/service/holds/legal-holds.ts';
import { createAudit } from '../../../../src/service/audit/log.ts';
import { auditEntries } from '../../../../src/ports/db/schema.ts';
import { logOf } from '../audit/log-of.ts';
import { createRequest, openWorkshop, picture } from './workshop.ts';

const signal = new AbortController().signal;
const dayMs = 24 * 3_600_000;
const hashOf = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const md5 = createHash('md5').update(picture).digest('hex');
const received = { sha256: hashOf(picture), md5, sizeBytes: picture.length };
const options = { model: 'trace-3', decisionStrategy: 'default', tier: 'flagging', seed: 0 };
const created = { format: 'jpg', width: 96, height: 80, ...options };
/** What the scripted sandbox renders. */
const outputs = {
  ...Object.fromEntries(
    ['real', 'fake', 'compression', 'anomaly'].map((name) => [
      `heatmap-${name}.png`,
      hashOf(`png ${name} of ${md5}`),
    ]),
  ),
  'report-en.pdf': hashOf('pdf en'),
  'report-de.pdf': hashOf('pdf de'),
};
const hash = expect.stringMatching(/^[0-9a-f]{64}$/);
const completed = {
  resultClass: 'fake',
  resultSubClasses: ['ai-generated', 'manipulated'],
  model: 'trace-3',
  modelVersion: '2.0.1',
  modelFiles: { 'model.onnx': 'aa' },
  examinedAt: '2026-03-01T12:00:00.000Z',
  originalSha256: md5,
  examinationSha256: hash,
  outputs: null,
};

async function openLogged(...given: Parameters<typeof openWorkshop>) {
  const workshop = await openWorkshop(...given);
  const { db, caller, clock } = workshop;
  const chain = caller.tenant.id;
  return {
    ...workshop,
    client: `api ${caller.principal.id}`,
    audit: createAudit({ db, now: clock.now }),
    log: (subject: string) => logOf(db, { chain, subject }),
    custody: async (analysisId: string) =>
      (await readNamedCustody(db, { tenantId: chain, analysisId })).map(
        ({ actorName: _name, ...step }) => step,
      ),
  };
}

type Logged = Awaited<ReturnType<typeof openLogged>>;

const steps = (custody: Awaited<ReturnType<Logged['custody']>>) =>
  custody.map(({ actor, event, hashes }) => [actor, event, hashes.map(({ name }) => name)]);

describe('each act logs exactly one entry', () => {
  test('from the creation to the purge', async () => {
    const { create, upload, analyses, caller, worker, clock, log, client, audit } =
      await openLogged();

    const { id } = await upload(await create());
    await analyses.start(caller, id);
    await worker.drain();
    await analyses.retry(caller, { id, options: { tier: 'forensicReporting' } });
    await analyses.remove(caller, id);
    clock.step(31 * dayMs);
    await analyses.cleanUp(signal);
    await analyses.cleanUp(signal);

    expect(await log(id)).toEqual([
      [client, 'analysis.created', { ...created, seed: expect.any(Number) }],
      [client, 'analysis.received', received],
      ['service', 'analysis.begun', {}],
      ['service', 'analysis.completed', completed],
      [client, 'analysis.upgraded', { outputs, examinationSha256: completed.examinationSha256 }],
      [client, 'analysis.deleted', { because: 'asked' }],
      ['service', 'analysis.purged', {}],
    ]);
    expect((await audit.verify(caller.tenant.id)).broken).toBeNull();
  });

  test('a run of the forensic tier, with the hashes of what it rendered', async () => {
    const { complete, log } = await openLogged();

    const id = await complete('forensicReporting');

    expect((await log(id)).at(-1)).toEqual([
      'service',
      'analysis.completed',
      { ...completed, outputs },
    ]);
  });

  test('failures, retries by the service and by the client, and a rollback', async () => {
    const { start, worker, sandbox, clock, analyses, caller, log, client } = await openLogged();
    const crash = sandbox.fail('inference_crashed');
    sandbox.next(sandbox.fail('inference_busy'), crash, crash, crash, crash);

    const id = await start();
    for (let i = 0; i < 6; i++) {
      await worker.drain();
      clock.step(60_000);
    }
    await analyses.retry(caller, { id, options: { seed: 5 } });
    await worker.drain();

    expect((await log(id)).slice(2)).toEqual([
      ['service', 'analysis.begun', {}],
      ['service', 'analysis.rolled_back', {}],
      ['service', 'analysis.begun', {}],
      ['service', 'analysis.retried', { retryCount: 1 }],
      ['service', 'analysis.retried', { retryCount: 2 }],
      ['service', 'analysis.retried', { retryCount: 3 }],
      ['service', 'analysis.failed', { code: 'inference_crashed' }],
      [client, 'analysis.restarted', { ...options, seed: 5 }],
      ['service', 'analysis.begun', {}],
      ['service', 'analysis.completed', expect.objectContaining({ resultClass: 'fake' })],
    ]);
  });

  test('a refused upload, and the right one after it', async () => {
    const { create, upload, analyses, caller, log, client } = await openLogged();
    const analysis = await upload(await create(), Buffer.from('no picture'));

    await expect(analyses.start(caller, analysis.id)).rejects.toThrow();
    await upload(analysis);
    await analyses.retry(caller, { id: analysis.id, options: {} });

    expect((await log(analysis.id)).slice(1)).toEqual([
      [client, 'analysis.failed', { code: 'image_not_as_declared' }],
      [client, 'analysis.received', received],
      [client, 'analysis.restarted', { ...options, seed: expect.any(Number) }],
    ]);
  });

  test.each([
    ['other bytes', Buffer.from('other'), hashOf('other')],
    ['more bytes than are read', Buffer.alloc(100_001), null],
  ])('an upload replaced by %s, noticed once', async (_, bytes, sha256) => {
    const { start, upload, analyses, caller, worker, log } = await openLogged({
      maxBytes: 100_000,
    });
    const id = await start();
    await upload(await analyses.get(caller, id), bytes);

    await worker.drain();
    await analyses.retry(caller, { id, options: { tier: 'forensicReporting' } });

    const notices = (await log(id)).filter(([, event]) => event === 'analysis.upload_replaced');
    expect(notices).toEqual([['service', 'analysis.upload_replaced', { sha256 }]]);
  });
});

test('nothing is logged that a person wrote: names, file names, comments, reasons', async () => {
  const { create, caller, db, clock } = await openLogged();
  const [name, filename, comment, reason] = [
    'Miller',
    'miller.jpg',
    'He did it',
    'a trial',
  ] as const;
  const { input } = createRequest();

  const { id } = await create({ name, comment, input: { ...input, filename } });
  const held = { tenantId: caller.tenant.id, analysisId: id, reason };
  await createHolds({ db, now: clock.now }).add(held);

  const text = JSON.stringify(await db.select().from(auditEntries).all());
  for (const word of [name, filename, comment, reason, 'acme']) expect(text).not.toContain(word);
});

describe('the chain of custody', () => {
  test('lists who handled the file, what went in and what came out, with times', async () => {
    const { complete, analyses, caller, custody, clock } = await openLogged();
    const id = await complete();
    clock.step(1000);

    await analyses.retry(caller, { id, options: { tier: 'forensicReporting' } });
    await analyses.remove(caller, id);

    const reported = await custody(id);
    const key = `api key ${caller.principal.id}`;
    expect(steps(reported)).toEqual([
      [key, 'created', []],
      [key, 'received', ['original']],
      ['service', 'examined', ['original', 'examination']],
      [key, 'upgraded', [...Object.keys(outputs).toSorted(), 'examination']],
      [key, 'deleted', []],
    ]);
    expect(reported[1]!.hashes).toEqual([{ name: 'original', sha256: hashOf(picture) }]);
    expect(reported.map(({ at }) => at.toISOString().slice(17, 19))).toEqual([
      '00',
      '00',
      '00',
      '01',
      '01',
    ]);
  });

  test('is in the report of the run itself, up to the examination', async () => {
    const { complete, sandbox, custody } = await openLogged();

    const id = await complete('forensicReporting');

    const { item } = sandbox.rendered[0]!;
    expect(item.retries).toBe(0);
    expect(item.custody).toEqual((await custody(id)).slice(0, 3));
    expect(steps(await custody(id)).map(([, event]) => event)).toEqual([
      'created',
      'received',
      'examined',
      'rendered',
    ]);
  });

  test('is in chronological order, even if something was noticed during the run', async () => {
    const { start, upload, analyses, caller, worker, store, clock, sandbox, custody } =
      await openLogged();
    const id = await start('forensicReporting');
    await upload(await analyses.get(caller, id), Buffer.from('other'));
    const head = store.head.bind(store);
    store.head = async (key) => {
      clock.step(1000);
      return head(key);
    };

    await worker.drain();

    const events = ['created', 'received', 'examined', 'replaced_upload_noticed'];
    const reported = [sandbox.rendered[0]!.item.custody ?? [], await custody(id)];
    expect(reported.map((each) => each.map(({ event }) => event))).toEqual([
      events,
      [...events, 'rendered'],
    ]);
  });

  test('of an upgrade includes the run before it and every retry', async () => {
    const { start, worker, sandbox, clock, analyses, caller } = await openLogged();
    sandbox.next(sandbox.fail('inference_crashed'));
    const id = await start();
    await worker.drain();
    clock.step(60_000);
    await worker.drain();

    await analyses.retry(caller, { id, options: { tier: 'forensicReporting' } });

    const { item } = sandbox.rendered[0]!;
    expect(item.retries).toBe(1);
    expect(item.custody!.map(({ event }) => event)).toEqual([
      'created',
      'received',
      'retried',
      'examined',
    ]);
  });

  test('is empty for an analysis that is older than the log', async () => {
    const { complete, db, analyses, caller, sandbox } = await openLogged();
    const id = await complete();
    db.$client.exec('DROP TRIGGER audit_entries_kept; DELETE FROM audit_entries WHERE seq > 3');

    await analyses.retry(caller, { id, options: { tier: 'forensicReporting' } });

    expect(sandbox.rendered[0]!.item).toMatchObject({ custody: [], retries: 0 });
  });
});
