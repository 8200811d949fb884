/** The contract's Analysis and its parts, as they are answered. Field names and nullability are the contract's. */

import type {
  ActorType,
  DecisionStrategy,
  Language,
  Status,
  StorageType,
  Tier,
} from '../contract/vocabulary.ts';
import type { Anomaly, ClassScores, ClassSimilarities } from '../engine/result.ts';
import type { Format } from '../image/picture.ts';
import type { Evidence } from '../report/evidence.ts';
import type { ReportTexts } from '../report/report-item.ts';
import type { StorageUrls } from '../storage/store.ts';

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

export interface Analysis {
  readonly id: string;
  readonly tenantId: string;
  readonly projectId: string | null;
  readonly name: string;
  readonly storageType: StorageType;
  readonly type: 'image';
  readonly input: AnalysisInput;
  readonly inferenceStatus: InferenceStatus;
  readonly comment: string;
  readonly tags: readonly string[];
  readonly createdDate: string;
  readonly updatedDate: string | null;
  readonly deletedDate: string | null;
  readonly createdByUserId: string | null;
  readonly lastChangedByUserType: ActorType | null;
  readonly lastChangedByUserId: string | null;
  readonly lastChangedByUserName: string | null;
  readonly tierUpgradedFrom: Tier | null;
  readonly tierUpgradedAt: string | null;
}
