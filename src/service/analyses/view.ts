/** Shapes the contract's Analysis from its row, with URLs signed anew for every answer. */

import type {
  Analysis,
  AnalysisResult,
  HeatmapUrls,
  ReportEntry,
} from '../../contract/analysis.ts';
import type { Evidence } from '../../contract/evidence.ts';
import type { BlobStore } from '../../ports/storage/store.ts';
import { parseRendered, parseScores, type Rendered } from './examination-row.ts';
import type { Entry, ShownRow } from './rows.ts';

interface Means {
  readonly store: BlobStore;
  readonly now: Date;
  /** Read where the answer contains it; left out in lists. */
  readonly evidence?: () => Promise<Evidence>;
}

export async function viewAnalysis(
  { analysis: row, result, lastChangedByName }: Entry,
  { store, now, evidence }: Means,
): Promise<Analysis> {
  const sign = (key: string) => store.presign(key, now);
  const isDone = row.status === 'completed' && result !== null;
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
      statusMessage: isDone ? withNotes(row) : row.statusMessage,
      retryCount: row.retryCount,
      processingStartTime: isoOrNull(row.processingStartedAt),
      processingFinishTime: isoOrNull(row.processingFinishedAt),
      ...(isDone ? { result: await viewResult(row, result, sign, evidence) } : {}),
    },
    comment: row.comment,
    tags: row.tags,
    createdDate: row.createdAt.toISOString(),
    updatedDate: isoOrNull(row.updatedAt),
    deletedDate: isoOrNull(row.deletedAt),
    createdByUserId: row.createdById,
    lastChangedByUserType: row.lastChangedByType,
    lastChangedByUserId: row.lastChangedById,
    lastChangedByUserName: lastChangedByName,
    tierUpgradedFrom: row.tierUpgradedFrom,
    tierUpgradedAt: isoOrNull(row.tierUpgradedAt),
  };
}

function withNotes({ statusMessage, inputReplacedAt, evidenceSha256 }: ShownRow): string {
  if (inputReplacedAt === null) return statusMessage;
  return `${statusMessage} The uploaded object was replaced after the start; the result is of the copy taken at the start (SHA-256 ${evidenceSha256}).`;
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
    heatmaps: rendered === null ? null : viewHeatmaps(rendered, sign),
    report: rendered === null ? null : viewReport(rendered, sign),
    ...(evidence === undefined ? {} : { evidence: await evidence() }),
  };
}

/** All that the tier flagging shows beside the two class fields. */
const nothingMore = {
  predictions: null,
  classUncertainties: null,
  classSimilarities: null,
  anomaly: null,
  heatmaps: null,
  report: null,
  evidence: null,
} as const;

function viewHeatmaps({ heatmapKeys }: Rendered, sign: Sign): HeatmapUrls {
  return {
    realHeatmapStorageUrls: sign(heatmapKeys.real),
    fakeHeatmapStorageUrls: sign(heatmapKeys.fake),
    compressionHeatmapStorageUrls: sign(heatmapKeys.compression),
    anomalyHeatmapStorageUrls: sign(heatmapKeys.anomaly),
  };
}

function viewReport({ reports }: Rendered, sign: Sign): AnalysisResult['report'] {
  const entryOf = ({ pdfKey, texts }: Rendered['reports']['en']): ReportEntry => ({
    pdfStorageUrls: sign(pdfKey),
    ...texts,
  });
  return { en: entryOf(reports.en), de: entryOf(reports.de) };
}

function isoOrNull(date: Date | null): string | null {
  return date === null ? null : date.toISOString();
}
