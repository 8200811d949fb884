/**
 * The sandbox opens pictures. Every look at foreign bytes (decoding, inference, drawing over the picture) happens in a
 * forked child process, so that a hostile file can end a child but never the program. It knows no tenants, no
 * requests and no database.
 */

import type { DecisionStrategy, Language } from '../contract/vocabulary.ts';
import type {
  Decision,
  Examination,
  ExamineOptions,
  MapName,
  ModelIdentity,
} from '../engine/result.ts';
import type { Format, PictureFacts } from '../image/picture.ts';
import type { ReportItem, ReportTexts } from '../report/report-item.ts';
import type { Condition } from './measure.ts';

/** A file that the child reads itself, or bytes that are already at hand; `name` is what their file was called. */
export type PictureSource =
  | { readonly path: string }
  | { readonly bytes: Uint8Array; readonly name?: string };

export interface ExamineRequest {
  readonly source: PictureSource;
  readonly options: ExamineOptions;
  /** What the caller said about the picture; a picture that is something else is refused with `image_not_as_declared`. */
  readonly declared?: { readonly format: Format; readonly width: number; readonly height: number };
  /** What times in the file are compared with: the present when left out, the time of the first one in a repetition. */
  readonly now?: Date;
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
  /** Also the raw maps: 16-bit grey PNG of the picture's size, 0..65535 stands for 0..1. */
  readonly withRawMaps: boolean;
}

export interface Rendering {
  /** PNG files, exactly the picture's size: upright, or as stored where `heatmapSize` says so. */
  readonly heatmaps: Readonly<Record<MapName, Uint8Array>>;
  readonly rawMaps: Readonly<Record<MapName, Uint8Array>> | null;
  readonly reports: Readonly<
    Partial<Record<Language, { readonly texts: ReportTexts; readonly pdf: Uint8Array }>>
  >;
}

export interface MeasureRequest {
  readonly source: PictureSource;
  readonly options: Pick<ExamineOptions, 'model' | 'seed'>;
}

/** What one labelled picture adds to error rates: no maps and no findings, so that thousands fit into memory. */
export interface Measurement {
  readonly facts: Pick<PictureFacts, 'format' | 'sizeBytes' | 'sha256' | 'width' | 'height'> & {
    /** Null for PNG. */
    readonly jpeg: { readonly quality: number | null; readonly chromaSubsampling: string } | null;
  };
  /** Whether the file itself says that it was generated. The verdicts leave that aside: error rates are about traces. */
  readonly declaresGeneration: boolean;
  readonly model: ModelIdentity;
  readonly environment: Examination['environment'];
  /** By condition, up to the first in which the picture would be too small to be examined. */
  readonly readings: readonly ConditionReading[];
}

export interface ConditionReading {
  readonly condition: Condition;
  readonly fakeProbability: number;
  readonly verdicts: Readonly<Record<DecisionStrategy, Pick<Decision, 'resultClass' | 'reasons'>>>;
}

/** How far two PNG files of the same size and kind are apart. */
export interface PixelDifference {
  /** Of all samples: three a pixel in colour, one in grey. */
  readonly differing: number;
  /** The largest difference, as a share of the full scale, 0..1. */
  readonly largest: number;
}

export interface SandboxStatus {
  readonly children: number;
  readonly busy: number;
  readonly waiting: number;
}

export interface Sandbox {
  /**
   * @throws {ForensicsError} an `image_*` code for the picture, `model_*` for the model, `inference_*` for the child.
   * `inference_busy` at once when no child is free and `ifBusy` is `refuse`.
   */
  examine(
    request: ExamineRequest,
    how?: { readonly ifBusy?: 'wait' | 'refuse'; readonly signal?: AbortSignal },
  ): Promise<Examination>;
  render(request: RenderRequest, how?: { readonly signal?: AbortSignal }): Promise<Rendering>;
  /** Reads the picture under each condition and decides under every strategy. @throws {ForensicsError} as `examine`. */
  measure(request: MeasureRequest, how?: { readonly signal?: AbortSignal }): Promise<Measurement>;
  /** Null when one of the two is no PNG file, or they differ in size or kind. @throws {ForensicsError} `inference_*`. */
  compare(one: Uint8Array, other: Uint8Array): Promise<PixelDifference | null>;
  status(): SandboxStatus;
  /** Lets running tasks end, then ends the children. */
  close(): Promise<void>;
}
