/** Reads everything that a file says about its origin. Never throws for the file's sake: what cannot be read is a warning. */

import { readFileClues } from '../image/container.ts';
import { type ExifClues, readExifClues } from '../image/exif-clues.ts';
import type { Picture, PictureFacts } from '../image/picture.ts';
import { readContentCredentials } from './content-credentials.ts';
import { readLayout } from './file-layout.ts';
import { printable } from './foreign.ts';
import { type ForeignTexts, gatherTexts } from './foreign-texts.ts';
import { recogniseGenerators } from './generators/recognise.ts';
import { findInconsistencies } from './inconsistencies.ts';
import { nameSoftware } from './named-software.ts';
import { assurances, type Declaration, declaredOrigins, type Provenance } from './provenance.ts';
import { classifyTables } from './quantisation-class.ts';
import { originOfSourceType } from './source-type.ts';
import { compareThumbnail } from './thumbnail.ts';

export interface ProvenanceOptions {
  /** PEM certificates that the administrator trusts as signers of content credentials; null for none. */
  readonly trustList: string | null;
  /** The clock that times in the file are compared with. */
  readonly now?: Date;
}

const mostDeclarations = 50;

/** @param picture - decoded from `bytes`. */
export async function readProvenance(
  bytes: Uint8Array,
  picture: Picture,
  { trustList, now = new Date() }: ProvenanceOptions,
): Promise<Provenance> {
  const { facts } = picture;
  const clues = readFileClues(bytes, facts.format);
  const exif = readExifClues(clues.blocks.exif);
  const texts = gatherTexts({
    pngText: clues.blocks.pngText,
    exif: exif.texts,
    metadata: facts.metadata,
  });
  const signed = clues.hasCredentials
    ? await readContentCredentials(bytes, facts.format, trustList)
    : null;
  const credentials = signed?.credentials ?? null;
  const declarations = ranked([...(signed?.declarations ?? []), ...declaredIn(texts)]);
  const segments = facts.jpeg?.segments.map(({ label }) => label) ?? [];
  const software = nameSoftware({ texts, declarations, credentials, segments });
  const quantisation = facts.jpeg === null ? null : classifyTables(facts.jpeg);
  const thumbnail = exif.thumbnail && (await compareThumbnail(picture, exif.thumbnail));
  return {
    declarations,
    credentials,
    software,
    quantisation,
    inconsistencies: findInconsistencies({
      facts,
      exif,
      software,
      quantisation,
      thumbnail,
      now,
    }),
    layout: readLayout(bytes, clues),
    warnings: warningsOf(facts, exif, thumbnail !== null),
  };
}

/** What no signature covers: digital source types, and what generators leave behind. */
function declaredIn(texts: ForeignTexts): readonly Declaration[] {
  const system = texts.of('AISystemUsed')[0]?.text;
  const types = texts.of('DigitalSourceType').flatMap(({ place, field, text }) => {
    const origin = originOfSourceType(text);
    if (origin === null) return [];
    // IPTC Photo Metadata 2025.1 names the system beside the type.
    const generator = origin === 'captured' || system === undefined ? null : printable(system);
    return {
      origin,
      place,
      field,
      value: printable(text),
      generator,
      assurance: 'unsigned',
    } as const;
  });
  const generated = recogniseGenerators(texts).map(({ text, origin, generator }) => {
    const { place, field } = text;
    const value = printable(text.text);
    return {
      origin,
      place,
      field: printable(field),
      value,
      generator,
      assurance: 'unsigned',
    } as const;
  });
  return [...types, ...generated];
}

/** The best vouched-for first; of these, a picture generated as a whole before one with generated parts. */
function ranked(declarations: readonly Declaration[]): readonly Declaration[] {
  return declarations.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, mostDeclarations);
}

function rankOf({ assurance, origin }: Declaration): number {
  return declaredOrigins.indexOf(origin) - declaredOrigins.length * assurances.indexOf(assurance);
}

function warningsOf(
  { metadata }: PictureFacts,
  exif: ExifClues,
  isThumbnailRead: boolean,
): readonly string[] {
  const warnings: string[] = [];
  if (exif.thumbnail !== null && !isThumbnailRead) {
    warnings.push('The thumbnail in EXIF cannot be decoded.');
  }
  // XMP's `dcterms:provenance` names where a manifest can be fetched.
  if (metadata.xmp['provenance'] !== undefined) {
    warnings.push(
      'The file names content credentials that are kept elsewhere; they were not fetched.',
    );
  }
  return warnings;
}
