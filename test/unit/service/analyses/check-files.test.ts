import { expect, test } from 'vitest';
import { checkFiles } from '../../../../src/service/analyses/evidence.ts';
import { analyses } from '../../../../src/ports/db/schema.ts';
import { openWorkshop } from './workshop.ts';

async function openCompleted(tier: 'flagging' | 'forensicReporting' = 'forensicReporting') {
  const workshop = await openWorkshop();
  const { complete, analyses: acts, caller, store, db, stores } = workshop;
  const id = await complete(tier);
  const target = { tenantId: caller.tenant.id, analysisId: id };
  const { result } = await workshop.status(id);
  return {
    ...workshop,
    id,
    keys: {
      pdf: result?.report?.en.pdfStorageUrls.objectKey ?? '',
      heatmap: result?.heatmaps?.realHeatmapStorageUrls.objectKey ?? '',
      evidence: (await db.select({ key: analyses.evidenceKey }).from(analyses).get())?.key ?? '',
    },
    upgrade: () => acts.retry(caller, { id, options: { tier: 'forensicReporting' } }),
    put: (key: string) => store.put(key, Buffer.from('something else')),
    states: async () => {
      const files = await checkFiles({ db, stores }, target);
      return Object.fromEntries(files.map(({ name, state }) => [name, state]));
    },
  };
}

const allAsRecorded = {
  original: 'as_recorded',
  examination: 'as_recorded',
  'heatmap-real.png': 'as_recorded',
  'heatmap-fake.png': 'as_recorded',
  'heatmap-compression.png': 'as_recorded',
  'heatmap-anomaly.png': 'as_recorded',
  'report-en.pdf': 'as_recorded',
  'report-de.pdf': 'as_recorded',
};

test('untouched files are as recorded, in either tier and after an upgrade', async () => {
  const forensic = await openCompleted();
  const flagging = await openCompleted('flagging');
  const before = await flagging.states();
  await flagging.upgrade();

  expect(await forensic.states()).toEqual(allAsRecorded);
  expect(before).toEqual({ original: 'as_recorded', examination: 'as_recorded' });
  expect(await flagging.states()).toEqual(allAsRecorded);
});

test.each([
  ['report-en.pdf', 'pdf'],
  ['heatmap-real.png', 'heatmap'],
  ['original', 'evidence'],
] as const)('a replaced or removed %s is reported', async (name, key) => {
  const { keys, put, store, states } = await openCompleted();

  await put(keys[key]);
  const replaced = await states();
  await store.delete(keys[key]);

  expect(replaced).toEqual({ ...allAsRecorded, [name]: 'changed' });
  expect(await states()).toEqual({ ...allAsRecorded, [name]: 'missing' });
});

test.each([
  `UPDATE examinations SET examination = replace(examination, '0.93', '0.13')`,
  `UPDATE examinations SET anomaly_map = zeroblob(4)`,
  `UPDATE examinations SET method_maps = NULL`,
  `UPDATE examinations SET result_class = 0`,
  `UPDATE examinations SET scores = replace(scores, '"anomaly"', '"anomalies"')`,
  `UPDATE examinations SET examined_at = 0`,
])('an examination changed by %s is reported', async (sql) => {
  const { db, states } = await openCompleted();

  db.$client.exec(sql);

  expect(await states()).toEqual({ ...allAsRecorded, examination: 'changed' });
});

test('files that are older than the log are not_recorded', async () => {
  const { db, states } = await openCompleted('flagging');

  db.$client.exec('DROP TRIGGER audit_entries_kept; DELETE FROM audit_entries');

  expect(await states()).toEqual({ original: 'not_recorded', examination: 'not_recorded' });
});

test('an analysis of another tenant is not found', async () => {
  const { db, stores, id, openTenant } = await openCompleted('flagging');
  const { tenant } = await openTenant('other');

  const foreign = checkFiles({ db, stores }, { tenantId: tenant.id, analysisId: id });

  await expect(foreign).rejects.toMatchObject({ code: 'analysis_not_found' });
});
