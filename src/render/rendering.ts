/** What is rendered of an examination, and what for. */

import type { Language } from '../contract/vocabulary.ts';
import type { Examination, MapName } from '../detectors/result.ts';
import type { PictureSource } from '../image/picture.ts';
import type { Size } from '../image/pixels.ts';
import type { ReportItem, ReportTexts } from '../present/report-item.ts';

export interface RenderRequest {
  readonly source: PictureSource;
  readonly examination: Examination;
  readonly item: ReportItem;
  readonly languages: readonly Language[];
  /** If it fits the picture only as stored, heatmaps have the stored orientation; otherwise they are upright. */
  readonly heatmapSize?: Size;
  readonly withHtml?: boolean;
}

export interface Rendering {
  /** With the findings of methods that its run had skipped. */
  readonly examination: Examination;
  /** PNG files of exactly the size of the picture: upright, or as stored if `heatmapSize` requires that. */
  readonly heatmaps: Readonly<Record<MapName, Uint8Array>>;
  /** 16-bit grey PNG files with one value per cell on the grid of `examination.maps`; 0..65535 represents 0..1. */
  readonly rawMaps: Readonly<Record<MapName, Uint8Array>>;
  readonly reports: Readonly<Partial<Record<Language, Report>>>;
}

interface Report {
  readonly texts: ReportTexts;
  readonly pdf: Uint8Array;
  readonly html?: string;
}
