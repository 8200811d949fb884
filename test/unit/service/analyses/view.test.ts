import { describe, expect, test } from 'vitest';
import { fromRow } from '../../../../src/service/analyses/examination-row.ts';
import type { Db } from '../../../../src/ports/db/database.ts';
import * as tables from '../../../../src/ports/db/schema.ts';
import { writeEvidence } from '../../../../src/present/evidence.ts';
import { examinationOf, textsIn } from './scripted-sandbox.ts';
import { openWorkshop, storageUrlsOf } from './workshop.ts';

const urls = {
  type: 's3',
  objectKey: expect.any(String),
  putUrl: expect.any(String),
  getUrl: expect.any(String),
  deleteUrl: expect.any(String),
  expiresAt: expect.any(String),
};

describe('the result', () => {
  test('of tier flagging contains the classes and nothing else', async () => {
    const { complete, status } = await openWorkshop();

    const { result } = await status(await complete('flagging'));

    expect(result).toEqual({
      resultClass: 1,
      resultSubClasses: [0, 2],
      predictions: null,
      classUncertainties: null,
      classSimilarities: null,
      anomaly: null,
      heatmaps: null,
      report: null,
      evidence: null,
    });
  });

  test('of tier forensicReporting contains everything', async () => {
    const { complete, status, store, sandbox } = await openWorkshop();

    const { result } = await status(await complete('forensicReporting'));

    expect(result).toEqual({
      resultClass: 1,
      resultSubClasses: [0, 2],
      predictions: { real: 0.1, fake: 0.9, compression: 0.3 },
      classUncertainties: { real: 0.01, fake: 0.02, compression: 0.03 },
      classSimilarities: { realCompressed: 0.2, fakeCompressed: 0.8 },
      anomaly: { score: 0.4, numCluster: 2, giniCoeff: null },
      heatmaps: {
        realHeatmapStorageUrls: urls,
        fakeHeatmapStorageUrls: urls,
        compressionHeatmapStorageUrls: urls,
        anomalyHeatmapStorageUrls: urls,
      },
      report: {
        en: { ...textsIn('en'), pdfStorageUrls: urls },
        de: { ...textsIn('de'), pdfStorageUrls: urls },
      },
      evidence: writeEvidence(examinationOf(sandbox.examined[0]!)),
    });
    const { objectKey } = result!.heatmaps!.anomalyHeatmapStorageUrls;
    expect(await store.head(objectKey)).toMatchObject({ contentType: 'image/png' });
    expect(Buffer.from(await store.read(objectKey, 1000)).toString()).toContain('png anomaly');
    const pdf = result!.report!.de.pdfStorageUrls.objectKey;
    expect(await store.head(pdf)).toMatchObject({ contentType: 'application/pdf' });
  });
});

describe('the evidence', () => {
  test('is in the answer to an upgrade, but in no list', async () => {
    const { complete, analyses, caller } = await openWorkshop();
    const id = await complete('flagging');

    const upgraded = await analyses.retry(caller, { id, options: { tier: 'forensicReporting' } });
    const { analyses: listed } = await analyses.list(caller, {});

    expect(upgraded.inferenceStatus.result?.evidence).toMatchObject({ basis: 'traces' });
    expect(listed[0]?.inferenceStatus.result).not.toHaveProperty('evidence');
  });

  test('of an examination by an earlier version is derived from what it contains', async () => {
    const { complete, status, db } = await openWorkshop();
    const id = await complete('forensicReporting');
    await rewrite(db, (examination) => {
      delete examination.stability;
      delete examination.provenance;
      delete examination.decision.basis;
    });

    const { result } = await status(id);

    expect(result?.evidence).toMatchObject({
      basis: 'traces',
      stability: null,
      provenance: { declarations: [], warnings: [expect.stringContaining('earlier version')] },
    });
  });
});

test('every answer signs every URL again', async () => {
  const { complete, analyses, caller, clock } = await openWorkshop();
  const id = await complete('forensicReporting');
  const read = async () => storageUrlsOf(await analyses.get(caller, id));

  const before = await read();
  clock.step(60_000);
  const after = await read();

  expect(new Set(before.map(({ objectKey }) => objectKey)).size).toBe(7);
  for (const [index, one] of after.entries()) {
    expect(one.objectKey).toBe(before[index]!.objectKey);
    expect(one.getUrl).not.toBe(before[index]!.getUrl);
    expect(Date.parse(one.expiresAt) - Date.parse(before[index]!.expiresAt)).toBe(60_000);
  }
});

test('the copy that is examined is never exposed', async () => {
  const { complete, analyses, caller, evidence } = await openWorkshop();
  const id = await complete('forensicReporting');
  const { key } = await evidence();

  const text = JSON.stringify(await analyses.get(caller, id));

  expect(key).toMatch(/^evidence\/[0-9a-f]{32}$/);
  expect(text).not.toContain(key.slice('evidence/'.length));
});

test('an examination by an earlier version has neither method maps nor manipulation results', async () => {
  const { complete, db } = await openWorkshop();
  await complete();
  await rewrite(db, (examination) => {
    delete examination.locator;
    delete examination.manipulation;
    delete examination.measuredCalls;
    delete examination.maps.methods;
  });
  await db.update(tables.examinations).set({ methodMaps: null }).run();

  const { examination } = fromRow((await db.select().from(tables.examinations).get())!);

  expect(examination).toMatchObject({ locator: null, manipulation: null, measuredCalls: [] });
  expect(examination.maps).toMatchObject({ columns: 2, methods: {} });
});

test('an examination is read from the database as it was written, maps included', async () => {
  const { complete, sandbox, db } = await openWorkshop();

  await complete();

  expect(fromRow((await db.select().from(tables.examinations).get())!)).toEqual({
    examination: examinationOf(sandbox.examined[0]!),
    examinedAt: new Date('2026-03-01T12:00:00.000Z'),
  });
});

interface EarlierExamination {
  locator?: unknown;
  manipulation?: unknown;
  measuredCalls?: unknown;
  stability?: unknown;
  provenance?: unknown;
  decision: { basis?: unknown };
  maps: { methods?: unknown };
}

/** Rewrites the examination as an earlier version would have written it. */
async function rewrite(db: Db, change: (examination: EarlierExamination) => void): Promise<void> {
  const row = await db
    .select({ text: tables.examinations.examination })
    .from(tables.examinations)
    .get();
  const examination = JSON.parse(row!.text);
  change(examination);
  await db
    .update(tables.examinations)
    .set({ examination: JSON.stringify(examination) })
    .run();
}
