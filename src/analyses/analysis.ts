/** The contract's Analysis and its parts, as they are answered. Field names and nullability are the contract's. */

import type { StorageUrls } from '../contract/analysis.ts';
import type { DecisionStrategy, Language, Status, Tier } from '../contract/vocabulary.ts';
import type { Anomaly, ClassScores, ClassSimilarities } from '../engine/result.ts';
import type { Format } from '../image/picture.ts';
import type { Evidence } from '../report/evidence.ts';
import type { ReportTexts } from '../report/report-item.ts';

export interface AnalysisOptions {
  readonly model: string;
  readonly decisionStrategy: DecisionStrategy;
  readonly tier: Tier;
  readonly seed: number;
}

export interface AnalysisInput {
  readonly format: Format;
  readonly version: 'v1';
  readonly width: number;
  readonly height: number;
  readonly filename: string;
  readonly storageUrls: StorageUrls;
  readonly options: AnalysisOptions;
}

export interface HeatmapUrls {
  readonly realHeatmapStorageUrls: StorageUrls;
  readonly fakeHeatmapStorageUrls: StorageUrls;
  readonly compressionHeatmapStorageUrls: StorageUrls;
  readonly anomalyHeatmapStorageUrls: StorageUrls;
}

export type ReportEntry = ReportTexts & { readonly pdfStorageUrls: StorageUrls };

/** For `flagging` everything but the two class fields is null. */
export interface AnalysisResult {
  readonly resultClass: number;
  readonly resultSubClasses: readonly number[];
  readonly predictions: ClassScores | null;
  readonly classUncertainties: ClassScores | null;
  readonly classSimilarities: ClassSimilarities | null;
  readonly anomaly: Anomaly | null;
  readonly heatmaps: HeatmapUrls | null;
  readonly report: Readonly<Record<Language, ReportEntry>> | null;
  /** Beside the contract; left out in lists, where it would cost the reading of every examination. */
  readonly evidence?: Evidence | null;
}

export interface InferenceStatus {
  readonly type: 'image';
  readonly version: string;
  readonly status: Status;
  readonly statusMessage: string;
  readonly retryCount: number;
  readonly processingStartTime: string | null;
  readonly processingFinishTime: string | null;
  /** Present only when `status` is `completed`. */
  readonly result?: AnalysisResult;
}
