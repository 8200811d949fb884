/**
 * What a file shows besides its pixels: whether its records agree, which program wrote a JPEG (as far as its
 * quantisation tables show), and what else it contains.
 */

import type { FileLayout, QuantisationClass } from '../provenance/provenance.ts';
import {
  type Detector,
  type Finding,
  noWeight,
  type Skipped,
  conventionalWeight,
} from './detector.ts';
import type { FindingStatement } from './statements.ts';

export const compressionTables: Detector<Finding | Skipped> = {
  method: 'compression-tables',
  examine: ({ provenance: { quantisation } }) => {
    const { method } = compressionTables;
    if (quantisation === null) return { method, reason: 'no_quantisation_tables' };
    const { quality } = quantisation;
    return {
      method,
      ...noWeight,
      statement: tablesStatement(quantisation),
      measures: quality === null ? {} : { libjpegQuality: quality },
      source:
        'ITU-T T.81 (1992), Annex K; Kornblum, "Using JPEG quantization tables to identify imagery processed by software", Digital Investigation 5 (2008).',
    };
  },
};

function tablesStatement({ kind, name, quality }: QuantisationClass): FindingStatement {
  if (kind === 'libjpeg') return { code: 'tables_of_libjpeg', values: { quality } };
  if (kind === 'known-software') return { code: 'tables_of_program', values: { name } };
  return { code: 'tables_of_their_own', values: {} };
}

/** Reports what a file contains besides its main picture. */
export const fileLayout: Detector<Finding | Skipped> = {
  method: 'file-layout',
  examine: ({ provenance: { layout } }) => {
    const { method } = fileLayout;
    const { trailingBytes, pictures } = layout;
    if (trailingBytes === 0 && pictures === 1) return { method, reason: 'nothing_else_in_file' };
    return {
      method,
      ...noWeight,
      statement: layoutStatement(layout),
      measures: { trailingBytes, pictures },
      source:
        'ITU-T T.81 (1992), Annex B; W3C PNG specification; CIPA DC-007 (Multi-Picture Format).',
    };
  },
};

/** Kinds of data that cameras and phones add. */
const addedByCameras: ReadonlySet<string> = new Set(['jpeg', 'mp4', 'samsung-trailer']);
/** Kinds of data that no camera adds. */
const addedByOthers: ReadonlySet<string> = new Set([
  'zip',
  'pdf',
  'rar',
  '7z',
  'gzip',
  'executable',
]);

function layoutStatement({ trailingBytes, trailingKind, pictures }: FileLayout): FindingStatement {
  const kind = trailingKind ?? '';
  const isOfCamera = trailingBytes === 0 || addedByCameras.has(kind);
  const writtenBy = isOfCamera ? 'cameras' : addedByOthers.has(kind) ? 'others' : 'anything';
  const values = { trailingBytes, trailingKind, furtherPictures: pictures - 1, writtenBy } as const;
  return { code: 'more_in_file', values };
}

export const fileConsistency: Detector<Finding | Skipped> = {
  method: 'file-consistency',
  examine: ({ picture: { facts }, provenance: { inconsistencies } }) => {
    const { method } = fileConsistency;
    const { exif, xmp } = facts.metadata;
    const isBare = Object.keys(exif).length + Object.keys(xmp).length === 0;
    if (isBare && inconsistencies.length === 0) return { method, reason: 'no_metadata' };
    const isOtherContent = inconsistencies.some(({ code }) => code === 'thumbnail_content_differs');
    return {
      method,
      ...(isOtherContent ? conventionalWeight('fake', 'weak') : noWeight),
      statement:
        inconsistencies.length === 0
          ? { code: 'records_agree', values: {} }
          : {
              code: 'records_contradict',
              values: { codes: inconsistencies.map(({ code }) => code) },
            },
      measures: { contradictions: inconsistencies.length },
      source:
        'CIPA DC-008 (Exif); Kee and Farid, "Digital image authentication from thumbnails", SPIE 2010.',
    };
  },
};
