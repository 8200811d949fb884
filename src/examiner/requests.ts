/** Requests to the sandbox, and its results. They are passed between processes by structured clone. */

import type { DecisionStrategy, Format } from '../contract/vocabulary.ts';
import type { Decision, ExamineOptions } from '../detectors/result.ts';
import type { Limits, PictureSource } from '../image/picture.ts';
import type { Size } from '../image/pixels.ts';
import type { ModelCache } from './model-cache.ts';

/** Settings that every task receives in addition to its request. */
export interface TaskSettings {
  /** Folder of additional models, or null. */
  readonly modelsDir: string | null;
  readonly limits: Limits;
  /** PEM certificates of trusted signers of content credentials, or null. */
  readonly trustList: string | null;
  /** Whether another core was free at the time when the task was sent. */
  readonly hasSpareCore: boolean;
}

export interface TaskContext extends TaskSettings {
  readonly models: ModelCache;
}

export interface ExamineRequest {
  readonly source: PictureSource;
  readonly options: ExamineOptions;
  /** What the caller declared about the picture; if it does not match, it is rejected with `image_not_as_declared`. */
  readonly declared?: Size & { readonly format: Format };
  /** The time with which times in the file are compared; default: now. A repetition uses the time of the first run. */
  readonly now?: Date;
  /** If false, methods that only reports show are skipped; `render` adds them later. Default: true. */
  readonly forReport?: boolean;
  /** Also returns a small copy of the picture for lists. Default: false. */
  readonly withThumbnail?: boolean;
  /** Also returns the fingerprint by which copies are recognised. Default: false. */
  readonly withFingerprint?: boolean;
}

/** Processing histories under which a picture is measured, from mildest to harshest. */
export const conditions = ['clean', 'web', 'hard'] as const;
export type Condition = (typeof conditions)[number];

export interface ConditionResult {
  readonly condition: Condition;
  readonly fakeProbability: number;
  readonly verdicts: Readonly<Record<DecisionStrategy, Pick<Decision, 'resultClass' | 'reasons'>>>;
}
