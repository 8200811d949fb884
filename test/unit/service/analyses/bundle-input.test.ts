import { expect, test } from 'vitest';
import { openBundleInput } from '../../../../src/service/analyses/render.ts';
import { renderCase } from '../../../../src/service/analyses/cases.ts';
import type { OwnValidation } from '../../../../src/present/report-item.ts';
import { createHolds } from '../../../../src/service/holds/legal-holds.ts';
import { transact } from '../../../../src/ports/db/database.ts';
import { analyses } from '../../../../src/ports/db/schema.ts';
import { sha256Of } from '../../../../src/evidence/bundle-format.ts';
import { defaultLimits } from '../../../../src/image/picture.ts';
import { createScriptedSandbox } from './scripted-sandbox.ts';
import { openWorkshop } from './workshop.ts';

async function openCompleted() {
  const { complete, caller, db, stores, ...workshop } = await openWorkshop();
  const analysisId = await complete('forensicReporting');
  const sandbox = createScriptedSandbox();
  const parts = { db, stores, sandbox, limits: defaultLimits, trustList: null };
  const target = { tenantId: caller.tenant.id, analysisId };
  return {
    ...workshop,
    caller,
    db,
    analysisId,
    sandbox,
    tamper: (sql: string) => db.$client.exec(sql),
    open: (validation: OwnValidation | null = null) =>
      openBundleInput({ ...parts, validation }, target, { withMetadata: false }),
  };
}

test('error rates are included only for the exact model that examined the picture', async () => {
  const { open } = await openCompleted();
  const { model } = (await open()).examination;
  const validation = { id: 'a'.repeat(24), createdAt: new Date(0), model, conditions: [] };
  const others = [
    { ...model, version: '0.0.1' },
    { ...model, files: { 'manifest.json': 'cd' } },
  ];

  expect((await open(validation)).item).toMatchObject({ validation });
  for (const other of others) {
    expect((await open({ ...validation, model: other })).item).not.toHaveProperty('validation');
  }
});

test.each([
  [
    'another verdict',
    `UPDATE examinations SET examination = replace(examination, '"fake"', '"real"')`,
  ],
  ['another time', `UPDATE examinations SET examined_at = examined_at - 86400000`],
  ['another result', `UPDATE examinations SET result_class = 0`],
  ['another map', `UPDATE examinations SET anomaly_map = zeroblob(4)`],
  ['no map of a method', `UPDATE examinations SET method_maps = NULL`],
  ['another score', `UPDATE examinations SET scores = replace(scores, '"anomaly"', '"anomalies"')`],
  ['invalid JSON', `UPDATE examinations SET examination = '{'`],
])('%s written into the database is never signed', async (_what, sql) => {
  const { tamper, open, sandbox } = await openCompleted();

  tamper(sql);

  await expect(open()).rejects.toMatchObject({ code: 'evidence_damaged' });
  expect(sandbox.rendered).toEqual([]);
});

test('a picture that was replaced together with its hash is never signed', async () => {
  const { tamper, store, open, sandbox, evidence } = await openCompleted();
  const other = Buffer.from('another picture');

  await store.put((await evidence()).key, other);
  tamper(`UPDATE analyses SET evidence_sha256 = '${sha256Of(other)}'`);

  await expect(open()).rejects.toMatchObject({ code: 'evidence_damaged' });
  expect(sandbox.rendered).toEqual([]);
});

test('a chain of custody from a broken log is never signed', async () => {
  const { tamper, open } = await openCompleted();

  tamper(`DROP TRIGGER audit_entries_unchanged;
    UPDATE audit_entries SET entry = replace(entry, '"service"', '"operator"')`);

  await expect(open()).rejects.toMatchObject({
    code: 'audit_broken',
    message: expect.stringContaining('was changed: its text does not match its hash'),
  });
});

test('a deleted analysis is available only while a hold keeps it', async () => {
  const { analyses: acts, caller, db, clock, analysisId, open } = await openCompleted();
  await acts.remove(caller, analysisId);
  await expect(open()).rejects.toMatchObject({ code: 'analysis_not_found' });

  const held = { tenantId: caller.tenant.id, analysisId, reason: 'court order' };
  await createHolds({ db, now: clock.now }).add(held);

  const { item } = await open();
  expect(item.custody?.map(({ event }) => event)).toContain('deleted');
});

test('an upgrade renders nothing from a result that was changed', async () => {
  const { complete, db, analyses: acts, caller, sandbox } = await openWorkshop();
  const id = await complete('flagging');

  db.$client.exec(`UPDATE examinations SET examination = replace(examination, '"fake"', '"real"')`);

  const upgrade = acts.retry(caller, { id, options: { tier: 'forensicReporting' } });
  await expect(upgrade).rejects.toMatchObject({ code: 'evidence_damaged' });
  expect(sandbox.rendered).toEqual([]);
});

test('a case with more pictures than a report can cover is refused, with advice', async () => {
  const { db, stores, caller, create } = await openWorkshop();
  await create({ projectId: 'claim 4711' });
  const row = (await db.select().from(analyses).get())!;
  await transact(db, async (tx) => {
    for (let n = 1; n <= 1000; n++) {
      await tx
        .insert(analyses)
        .values({ ...row, id: `copy ${n}` })
        .run();
    }
  });
  const sandbox = { ...createScriptedSandbox(), preparePage: unused, renderCase: unused };
  const parts = { db, stores, sandbox, limits: defaultLimits, trustList: null, validation: null };
  const which = { tenantId: caller.tenant.id, projectId: 'claim 4711' };
  const how = { language: 'en', extras: {}, inTurn: unused, madeAt: new Date() } as const;

  const made = renderCase(parts, which, how);

  await expect(made).rejects.toMatchObject({
    code: 'conflict',
    message: 'The case has 1001 pictures, but a report can cover only 1000; split the case.',
  });
});

function unused(): never {
  throw new TypeError('Nothing is drawn.');
}
