/** Analyses as returned to clients: the contract's Analysis built from its row, with freshly signed URLs in every response. */

import { setImmediate } from 'node:timers/promises';
import type { Analysis, AnalysisResult, ReportEntry } from '../../contract/analysis.ts';
import type { Evidence } from '../../contract/evidence.ts';
import { maxListed } from '../../contract/limits.ts';
import type { Language } from '../../contract/vocabulary.ts';
import type { BlobStore } from '../../ports/storage/store.ts';
import { writeEvidence } from '../../present/evidence.ts';
import type { Caller, Context } from './context.ts';
import { loadExamined, parseRendered, parseScores, type Rendered } from './examination-row.ts';
import { type Entry, findEntries, getEntry, type ListQuery, type ShownRow } from './rows.ts';
import { countOfOneCamera } from './seen-before.ts';

// Signing this many takes some hundredths of a second; other requests can run before the next ones are signed.
const signedAtOnce = 25;

/** A page of the list, newest first. */
export async function listAnalyses(
  { db, stores, now }: Pick<Context, 'db' | 'stores' | 'now'>,
  { tenant }: Pick<Caller, 'tenant'>,
  { searchTerm = '', start = 0, limit = maxListed, ...filters }: ListQuery,
) {
  const page = { searchTerm, start, limit: Math.min(limit, maxListed), ...filters };
  const { entries, total } = await findEntries(db, tenant.id, page);
  const { projectId } = filters;
  const which = projectId === undefined ? null : { tenantId: tenant.id, projectId };
  const at = now();
  const views: Analysis[] = [];
  for (const entry of entries) {
    if (views.length > 0 && views.length % signedAtOnce === 0) await setImmediate();
    views.push(await viewAnalysis(entry, { store: await stores.of(entry.analysis), now: at }));
  }
  return {
    analyses: views,
    startIndex: start,
    /** Exclusive. */
    endIndex: start + entries.length,
    /** Number of analyses on this page. */
    total: entries.length,
    totalCount: total,
    /** For a case, see `countOfOneCamera`; null for any other list. */
    ofOneCamera: which && (await countOfOneCamera(db, which)),
  };
}

/** @throws {ForensicsError} `analysis_not_found`. */
export async function getAnalysis(
  { db, stores, now }: Context,
  { tenant }: Pick<Caller, 'tenant'>,
  analysisId: string,
): Promise<Analysis> {
  const entry = await getEntry(db, { tenantId: tenant.id, analysisId });
  const evidence = async () => writeEvidence(await loadExamined(db, analysisId));
  return viewAnalysis(entry, { store: await stores.of(entry.analysis), now: now(), evidence });
}

interface Means {
  readonly store: BlobStore;
  readonly now: Date;
  /** Read only if the response contains it; omitted in lists. */
  readonly evidence?: () => Promise<Evidence>;
}

async function viewAnalysis(
  { analysis: row, result, lastChangedByName }: Entry,
  { store, now, evidence }: Means,
): Promise<Analysis> {
  const sign = (key: string) => store.presign(key, now);
  const isDone = row.status === 'completed' && result !== null;
  const isReplaced = row.inputReplacedAt !== null;
  const note = `The uploaded object was replaced after the start; the result is for the copy taken at the start (SHA-256 ${row.evidenceSha256}).`;
  return {
    id: row.id,
    tenantId: row.tenantId,
    projectId: row.projectId,
    name: row.name,
    storageType: row.storageType,
    type: 'image',
    input: {
      format: row.format,
      version: 'v1',
      width: row.width,
      height: row.height,
      filename: row.filename,
      storageUrls: sign(row.inputKey),
      options: toOptions(row),
    },
    inferenceStatus: {
      type: 'image',
      version: row.modelVersion,
      status: row.status,
      statusMessage: isDone && isReplaced ? `${row.statusMessage} ${note}` : row.statusMessage,
      ...(row.status === 'failed' && row.failure !== null ? { failure: row.failure } : {}),
      retryCount: row.retryCount,
      processingStartTime: row.processingStartedAt?.toISOString() ?? null,
      processingFinishTime: row.processingFinishedAt?.toISOString() ?? null,
      ...(isDone ? { result: await viewResult(row, result, sign, evidence) } : {}),
    },
    comment: row.comment,
    tags: row.tags,
    caseData: row.caseData,
    createdDate: row.createdAt.toISOString(),
    updatedDate: row.updatedAt?.toISOString() ?? null,
    deletedDate: row.deletedAt?.toISOString() ?? null,
    createdByUserId: row.createdById,
    lastChangedByUserType: row.lastChangedByType,
    lastChangedByUserId: row.lastChangedById,
    lastChangedByUserName: lastChangedByName,
    tierUpgradedFrom: row.tierUpgradedFrom,
    tierUpgradedAt: row.tierUpgradedAt?.toISOString() ?? null,
  };
}

export function toOptions({ model, decisionStrategy, tier, seed }: ShownRow) {
  return { model, decisionStrategy, tier, seed };
}

type Sign = (key: string) => ReturnType<BlobStore['presign']>;

async function viewResult(
  row: ShownRow,
  result: NonNullable<Entry['result']>,
  sign: Sign,
  evidence: Means['evidence'],
): Promise<AnalysisResult> {
  const { resultClass, resultSubClasses } = result;
  if (row.tier === 'flagging') return { resultClass, resultSubClasses, ...nothingMore };
  const rendered = result.rendered === null ? null : parseRendered(result.rendered);
  return {
    resultClass,
    resultSubClasses,
    ...parseScores(result.scores),
    heatmaps: rendered && {
      realHeatmapStorageUrls: sign(rendered.heatmapKeys.real),
      fakeHeatmapStorageUrls: sign(rendered.heatmapKeys.fake),
      compressionHeatmapStorageUrls: sign(rendered.heatmapKeys.compression),
      anomalyHeatmapStorageUrls: sign(rendered.heatmapKeys.anomaly),
    },
    report: rendered && {
      en: viewReport(rendered.reports.en, sign),
      de: viewReport(rendered.reports.de, sign),
    },
    ...(evidence === undefined ? {} : { evidence: await evidence() }),
  };
}

/** In the `flagging` tier, all members besides the two class fields are null. */
const nothingMore = {
  predictions: null,
  classUncertainties: null,
  classSimilarities: null,
  anomaly: null,
  heatmaps: null,
  report: null,
  evidence: null,
} as const;

function viewReport({ pdfKey, texts }: Rendered['reports'][Language], sign: Sign): ReportEntry {
  return { pdfStorageUrls: sign(pdfKey), ...texts };
}
