/** Headings, row names and fixed paragraphs of the PDF, as one table a language. */

import type { MapName, ResultClass } from '../engine/result.ts';
import type { PictureNote } from '../image/picture.ts';

export const rowNames = [
  'name',
  'analysis',
  'upload',
  'format',
  'size',
  'storedSize',
  'bytes',
  'colour',
  'profile',
  'orientation',
  'jpegQuality',
  'jpegSubsampling',
  'jpegCoding',
  'trailingBytes',
  'camera',
  'software',
  'takenAt',
  'exposure',
  'lens',
  'digitalSource',
  'position',
  'thumbnail',
  'pngText',
  'notes',
  'metadataWarnings',
  'probability',
  'tracesReal',
  'tracesFake',
  'tracesCompression',
  'similarityReal',
  'similarityFake',
  'anomalyScore',
  'anomalyClusters',
  'anomalyGini',
  'resultClass',
  'resultSubClasses',
  'reasons',
  'model',
  'strategy',
  'seed',
  'passes',
  'patches',
  'cell',
  'examinedAt',
] as const;
export type RowName = (typeof rowNames)[number];

export const sectionNames = [
  'result',
  'item',
  'assessment',
  'heatmaps',
  'findings',
  'method',
  'validation',
  'limits',
  'conclusion',
] as const;
export type SectionName = (typeof sectionNames)[number];

export const measuredFigures = [
  'auc',
  'aucLow',
  'aucHigh',
  'decided',
  'realCalledFake',
  'fakeCalledReal',
] as const;
export type MeasuredFigure = (typeof measuredFigures)[number];

export interface Labels {
  readonly title: string;
  readonly product: string;
  readonly page: (page: number, of: number) => string;
  readonly headlines: Readonly<Record<ResultClass, string>>;
  readonly sections: Readonly<Record<SectionName, string>>;
  readonly rows: Readonly<Record<RowName, string>>;
  /** Names of thresholds; one that is missing here goes by its own name. */
  readonly thresholds: Readonly<Record<string, string>>;
  /** Names of what the environment lists; one that is missing here goes by its own name. */
  readonly environment: Readonly<Record<string, string>>;
  readonly notes: Readonly<Record<PictureNote, string>>;
  readonly maps: Readonly<Record<MapName, string>>;
  readonly original: string;
  readonly heatmap: string;
  /** Said of a figure whose picture is too narrow to be shown in one piece. */
  readonly strips: Readonly<Record<'leftToRight' | 'topToBottom', (count: string) => string>>;
  readonly checksum: (file: string) => string;
  readonly md5: string;
  readonly threshold: (name: string) => string;
  readonly modelFile: (name: string) => string;
  readonly pixels: string;
  readonly bytes: string;
  readonly none: string;
  readonly yes: string;
  readonly no: string;
  readonly uploadReplaced: string;
  readonly present: string;
  readonly presentNotShown: string;
  readonly progressive: string;
  readonly sequential: string;
  readonly arithmetic: string;
  readonly exactQuality: (quality: string) => string;
  readonly nearestQuality: (quality: string, distance: string) => string;
  readonly bits: (bits: string, channels: string) => string;
  readonly withAlpha: string;
  readonly deviation: string;
  readonly score: (score: string) => string;
  readonly scoreMeaning: string;
  readonly source: (source: string) => string;
  readonly notCarriedOut: string;
  readonly noFindings: string;
  readonly escapes: string;
  readonly validation: {
    readonly none: string;
    readonly intro: (measured: { strategy: string; real: string; fake: string }) => string;
    /** Names of the measured histories; one that is missing here goes by its own name. */
    readonly conditions: Readonly<Record<string, string>>;
    readonly rates: (rates: Readonly<Record<MeasuredFigure, string>>) => string;
  };
  readonly limits: (scale: {
    plain: string;
    clear: string;
    veryClear: string;
  }) => readonly string[];
}
