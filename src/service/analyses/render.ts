/**
 * Renders heatmaps and reports from a stored examination and puts them into the tenant's store. Objects are written
 * under unique keys before the transaction that makes them visible; if that transaction loses a race, they are deleted.
 */

import { nullOn } from '../../errors.ts';
import { hash, randomBytes } from 'node:crypto';
import { posix } from 'node:path';
import type { SeenBefore } from '../../contract/seen-before.ts';
import { type Language, languages } from '../../contract/vocabulary.ts';
import { isSameModel } from '../../engine/contract.ts';
import { type Examination, type MapName, mapNames } from '../../engine/result.ts';
import type { Beside, ReportItem } from '../../present/report-item.ts';
import type { Rendering } from '../../examiner/requests.ts';
import type { Context } from './context.ts';
import { readHistory } from './custody.ts';
import { readEvidence, type StoredAnalysis } from './evidence.ts';
import type { Drawn } from './examination-row.ts';
import { discardObjects, reserveKeys } from './orphan-objects.ts';
import { type AnalysisRow, getKeptRow } from './rows.ts';
import { factKeys, readSearchKeys, search } from './seen-before.ts';

interface RenderJob extends StoredAnalysis {
  readonly bytes: Uint8Array;
  readonly isUploadReplaced: boolean;
  readonly examination: Examination;
  readonly examinedAt: Date;
  readonly signal?: AbortSignal;
}

/** @throws {ForensicsError} whatever the sandbox and the store throw; then nothing is left in the store. */
export async function renderInto(context: Context, job: RenderJob): Promise<Drawn> {
  const { row, bytes, examination, examinedAt, signal } = job;
  const rendering = await context.sandbox.render(
    {
      source: { bytes },
      examination,
      item: await withBeside(context, { ...job, item: await toReportItem(context, job) }),
      languages,
      // The contract requires the input's pixel dimensions, which the client may have measured before EXIF rotation.
      heatmapSize: { width: row.width, height: row.height },
    },
    signal === undefined ? {} : { signal },
  );
  const rendered = await storeRendering(context, job, rendering);
  return { examination: rendering.examination, examinedAt, rendered };
}

async function storeRendering(context: Context, job: RenderJob, { heatmaps, reports }: Rendering) {
  const folder = `analyses/${job.row.id}/${randomBytes(8).toString('hex')}`;
  const heatmapKey = (name: MapName) => `${folder}/heatmap-${name}.png`;
  const pdfKey = (language: Language) => `${folder}/report-${language}.pdf`;
  const reportIn = (language: Language) => {
    const report = reports[language];
    if (report === undefined) throw new TypeError(`the sandbox rendered no report in ${language}`);
    return report;
  };
  const files = [
    ...mapNames.map((name) => {
      return { key: heatmapKey(name), body: heatmaps[name], contentType: 'image/png' };
    }),
    ...languages.map((language) => {
      const body = reportIn(language).pdf;
      return { key: pdfKey(language), body, contentType: 'application/pdf' };
    }),
  ];
  await putAll(context, job, files);
  return {
    heatmapKeys: {
      real: heatmapKey('real'),
      fake: heatmapKey('fake'),
      compression: heatmapKey('compression'),
      anomaly: heatmapKey('anomaly'),
    },
    reports: {
      en: { pdfKey: pdfKey('en'), texts: reportIn('en').texts },
      de: { pdfKey: pdfKey('de'), texts: reportIn('de').texts },
    },
    sha256: Object.fromEntries(
      files.map(({ key, body }) => [posix.basename(key), hash('sha256', body)]),
    ),
  };
}

async function putAll(
  context: Context,
  { row, store }: RenderJob,
  objects: readonly { key: string; body: Uint8Array; contentType: string }[],
) {
  const keys = objects.map(({ key }) => key);
  await reserveKeys(context, { place: row, keys });
  const puts = objects.map(({ key, body, contentType }) => store.put(key, body, { contentType }));
  const outcomes = await Promise.allSettled(puts);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed === undefined) return;
  await discardObjects(context, { store, keys });
  throw failed.reason;
}

/** The facts about an analysis that a report shows besides the examination. */
export async function toReportItem(
  { db, validation }: Pick<Context, 'db' | 'validation'>,
  { row, examination, examinedAt, isUploadReplaced }: Omit<RenderJob, 'store' | 'bytes'>,
): Promise<ReportItem> {
  // Error rates apply to one model only; the picture may have been examined with another, or before
  // the model was replaced.
  const isCited = validation !== null && isSameModel(validation.model, examination.model);
  const seenBefore = await readSeenBefore(db, row, examination);
  return {
    name: row.filename,
    analysisId: row.id,
    examinedAt,
    isUploadReplaced,
    ...((row.projectId !== null || row.caseData !== null) && {
      caseData: { ...(row.projectId !== null && { caseNumber: row.projectId }), ...row.caseData },
    }),
    ...(seenBefore.length > 0 && { seenBefore }),
    ...(await readHistory(db, row, { examination, examinedAt })),
    ...(isCited && { validation }),
  };
}

/** Maximum number of other pictures that a report shows. */
const maxBeside = 3;

/** Adds the other pictures that show the same thing, each beside this one. */
export async function withBeside(
  parts: Pick<Context, 'db' | 'stores' | 'limits'> & {
    readonly sandbox: Pick<Context['sandbox'], 'layBeside'>;
  },
  { row, bytes, item }: Pick<RenderJob, 'row' | 'bytes'> & { readonly item: ReportItem },
): Promise<ReportItem> {
  const beside: Beside[] = [];
  for (const { id, alignment } of item.seenBefore ?? []) {
    if (alignment === null || beside.length === maxBeside) continue;
    // Null if its original is no longer stored.
    const other = await nullOn(['analysis_not_found', 'evidence_damaged'], async () => {
      const kept = await getKeptRow(parts.db, { tenantId: row.tenantId, analysisId: id });
      return readEvidence(parts, { row: kept, store: await parts.stores.of(kept) });
    });
    const one = { bytes };
    const laid =
      other && (await parts.sandbox.layBeside({ one, other: { bytes: other }, alignment }));
    const jpeg = laid && Buffer.from(laid.jpeg).toString('base64');
    beside.push({ id, jpeg, differing: laid?.differing ?? 0 });
  }
  return beside.length === 0 ? item : { ...item, beside };
}

/** Pictures that were sent earlier. A run that is not stored yet passes in its fingerprint. */
async function readSeenBefore(
  db: Context['db'],
  { id: analysisId, tenantId, createdAt }: AnalysisRow,
  { fingerprint: packed, facts }: Examination,
): Promise<readonly SeenBefore[]> {
  const target = { tenantId, analysisId };
  const searchKeys =
    packed === undefined
      ? await readSearchKeys(db, target)
      : { packed, facts: factKeys(tenantId, facts.metadata) };
  const found = searchKeys === null ? [] : await search(db, target, searchKeys);
  return found.filter(({ createdDate }) => createdDate < createdAt.toISOString());
}
