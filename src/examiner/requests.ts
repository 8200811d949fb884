/** What the sandbox is asked for and what it answers: passed between processes by structured clone. */

import type { DecisionStrategy, Language } from '../contract/vocabulary.ts';
import type {
  Decision,
  Examination,
  ExamineOptions,
  MapName,
  ModelIdentity,
} from '../engine/result.ts';
import type { PdfPart } from '../image/pdf.ts';
import type { Format } from '../contract/formats.ts';
import type { Limits, PictureFacts } from '../image/picture.ts';
import type { ReportItem, ReportTexts } from '../present/report-item.ts';
import type { ModelCache } from './model-cache.ts';

/** What every task is given beside its request. */
export interface TaskSettings {
  /** A folder of further models, or null. */
  readonly modelsDir: string | null;
  readonly limits: Limits;
  /** PEM certificates of trusted signers of content credentials, or null. */
  readonly trustList: string | null;
  /** Whether a core besides the one of the task was free when it was sent. */
  readonly hasSpareCore: boolean;
}

export interface TaskContext extends TaskSettings {
  /** Those of the child. */
  readonly models: ModelCache;
}

/** A file that the child reads itself, its path as `byte-names` writes one, or bytes that are already at hand; `name` is what their file was called. */
export type PictureSource =
  | { readonly path: string }
  | { readonly bytes: Uint8Array; readonly name?: string };

export interface ExamineRequest {
  readonly source: PictureSource;
  readonly options: ExamineOptions;
  /** What the caller declared about the picture; a picture that is something else is refused with `image_not_as_declared`. */
  readonly declared?: { readonly format: Format; readonly width: number; readonly height: number };
  /** What times in the file are compared with: the present when left out, the time of the first one in a repetition. */
  readonly now?: Date;
  /** False leaves out the methods that a report shows and no verdict rests on; `render` makes up for it. True when left out. */
  readonly forReport?: boolean;
  /** Also a small copy of the picture for lists. False when left out. */
  readonly withThumbnail?: boolean;
  /** Also what the picture is recognised by. False when left out. */
  readonly withFingerprint?: boolean;
}

export interface PdfRequest {
  readonly source: PictureSource;
}

export interface PdfPartRequest extends PdfRequest {
  readonly part: PdfPart;
}

export interface RenderRequest {
  readonly source: PictureSource;
  readonly examination: Examination;
  readonly item: ReportItem;
  readonly languages: readonly Language[];
  /**
   * In pixels. When this is the size of the picture as it is stored and not of the upright one, the heatmaps lie as the
   * stored pixels do; otherwise, and when left out, they stand upright.
   */
  readonly heatmapSize?: { readonly width: number; readonly height: number };
  /** Also the raw maps with a value for each pixel. */
  readonly withFullMaps?: boolean;
  /** Also each report as one HTML file. */
  readonly withHtml?: boolean;
}

export interface Rendering {
  /** What was drawn: the examination of the request, with the findings of methods that its run left out. */
  readonly examination: Examination;
  /** PNG files, exactly the picture's size: upright, or as stored where `heatmapSize` requires it. */
  readonly heatmaps: Readonly<Record<MapName, Uint8Array>>;
  /** 16-bit grey PNG files, one value a cell, 0..65535 for 0..1: the grid of `examination.maps`. */
  readonly rawMaps: Readonly<Record<MapName, Uint8Array>>;
  /** The same, interpolated to one value a pixel; null unless asked for. */
  readonly fullMaps: Readonly<Record<MapName, Uint8Array>> | null;
  readonly reports: Readonly<
    Partial<
      Record<
        Language,
        { readonly texts: ReportTexts; readonly pdf: Uint8Array; readonly html?: string }
      >
    >
  >;
}

export interface MeasureRequest {
  readonly source: PictureSource;
  readonly options: Pick<ExamineOptions, 'model' | 'seed'>;
}

/** What one labelled picture adds to error rates: no maps and no findings, so that thousands fit into memory. */
export interface Measurement {
  readonly facts: Pick<PictureFacts, 'format' | 'sizeBytes' | 'sha256' | 'width' | 'height'> & {
    /** Null for what is no JPEG. */
    readonly jpeg: { readonly quality: number | null; readonly chromaSubsampling: string } | null;
  };
  /** Whether the file declares itself generated. The verdicts leave that aside: error rates are about traces. */
  readonly declaresGeneration: boolean;
  readonly model: ModelIdentity;
  readonly environment: Examination['environment'];
  /** By condition, up to the first in which the picture would be too small to be examined. */
  readonly readings: readonly ConditionResult[];
}

/** The histories under which a picture is measured, from the gentlest to the hardest. */
export const conditions = ['clean', 'web', 'hard'] as const;
export type Condition = (typeof conditions)[number];

export interface ConditionResult {
  readonly condition: Condition;
  readonly fakeProbability: number;
  readonly verdicts: Readonly<Record<DecisionStrategy, Pick<Decision, 'resultClass' | 'reasons'>>>;
}

export interface CompareRequest {
  readonly one: Uint8Array;
  readonly other: Uint8Array;
}

/** How far two PNG files of the same size and kind are apart. */
export interface PixelDifference {
  /** Of all samples: three a pixel in colour, one in grey. */
  readonly differing: number;
  /** The largest difference, as a share of the full scale, 0..1. */
  readonly largest: number;
}
