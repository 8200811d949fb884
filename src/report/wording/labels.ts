/** Headings, row names and fixed paragraphs of the PDF, as one table a language. */

import type { ResultClass } from '../../contract/vocabulary.ts';
import type { MapName } from '../../engine/result.ts';
import type { PictureNote } from '../../image/picture.ts';

export const rowNames = [
  'report',
  'preparedBy',
  'versions',
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
  'statements',
  'camera',
  'software',
  'takenAt',
  'exposure',
  'lens',
  'position',
  'thumbnail',
  'pngText',
  'metadataWarnings',
  'probability',
  'changeProbability',
  'changeRegion',
  'changeMethods',
  'tracesReal',
  'tracesFake',
  'tracesCompression',
  'similarityReal',
  'similarityFake',
  'anomalyScore',
  'anomalyClusters',
  'anomalyGini',
  'resultClass',
  'byTraces',
  'resultSubClasses',
  'reasons',
  'model',
  'strategy',
  'thresholds',
  'seed',
  'passes',
  'patches',
  'retries',
  'environment',
  'examinedAt',
  'digitalSource',
  'credentialsIntegrity',
  'credentialsTrust',
  'signer',
  'issuer',
  'signedAt',
  'timestamp',
  'claimGenerator',
  'actions',
  'manifests',
  'problems',
  'namedSoftware',
  'quantisation',
  'picturesInFile',
  'trailingBytes',
  'provenanceWarnings',
] as const;
export type RowName = (typeof rowNames)[number];

export const sectionNames = [
  'result',
  'question',
  'item',
  'custody',
  'provenance',
  'results',
  'heatmaps',
  'method',
  'validation',
  'evaluation',
  'reasons',
  'limits',
  'conclusion',
  'integrity',
  'settings',
  'glossary',
  'references',
  'metadata',
  'signature',
] as const;
export type SectionName = (typeof sectionNames)[number];

export interface Labels {
  readonly title: string;
  readonly product: string;
  readonly page: (page: number, of: number) => string;
  readonly headlines: Readonly<Record<ResultClass, string>>;
  /** In the place of `headlines.fake` when the decision rests on what the file declares. */
  readonly headlineDeclared: string;
  /** The same when it rests on a part that was changed. */
  readonly headlineChanged: string;
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
  readonly heatmapChecksum: string;
  readonly md5: string;
  readonly modelFile: (name: string) => string;
  readonly pixels: string;
  readonly bytes: string;
  readonly none: string;
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
  readonly source: (source: string) => string;
  readonly withoutFinding: string;
  readonly escapes: string;
  readonly validation: {
    /** Names of the measured histories; one that is missing here goes by its own name. */
    readonly conditions: Readonly<Record<string, string>>;
  };
}
