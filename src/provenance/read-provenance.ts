/** Reads everything that a file says about its origin. Never throws for the file's sake: what cannot be read is a warning. */

import { assurances, type DeclaredOrigin, declaredOrigins } from '../contract/vocabulary.ts';
import { readFileClues } from '../image/container.ts';
import { type ExifClues, readExifClues } from '../image/exif.ts';
import { readXmpHistory } from '../image/metadata-readers.ts';
import type { Warning } from '../image/metadata.ts';
import type { Picture, PictureFacts } from '../image/picture.ts';
import { readContentCredentials } from './c2pa.ts';
import { findInconsistencies } from './consistency.ts';
import {
  type ForeignText,
  type ForeignTexts,
  gatherTexts,
  originOfSourceType,
  printable,
  textIn,
} from './file-texts.ts';
import { recogniseGenerators } from './generator-parameters.ts';
import type { Declaration, HistoryStep, Provenance } from './provenance.ts';
import { nameSoftware } from './software.ts';
import { alignThumbnail } from './thumbnail.ts';
import { classifyTables, readLayout } from './trailing-data.ts';

interface ProvenanceOptions {
  /** PEM certificates that the administrator trusts as signers of content credentials; null for none. */
  readonly trustList: string | null;
  /** The clock that times in the file are compared with. */
  readonly now?: Date;
}

const maxDeclarations = 50;

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
    texts: clues.blocks.texts,
    exif: exif.texts,
    metadata: facts.metadata,
  });
  const signed = clues.hasCredentials
    ? await readContentCredentials(bytes, facts.format, trustList)
    : null;
  const credentials = signed?.credentials ?? null;
  const declarations = ranked([...(signed?.declarations ?? []), ...declaredIn(texts)]);
  const history = clues.blocks.xmp.flatMap(readHistory).slice(-maxSteps);
  const { jpeg } = facts;
  const software = nameSoftware({ texts, declarations, credentials, history, jpeg });
  const quantisation = jpeg && classifyTables(jpeg);
  const thumbnail = alignThumbnail(picture);
  const records = { facts, exif, software, history, quantisation, thumbnail, now };
  return {
    declarations,
    credentials,
    software,
    history,
    quantisation,
    inconsistencies: findInconsistencies(records),
    layout: readLayout(bytes, clues),
    warnings: collectWarnings(facts, exif, thumbnail !== null),
  };
}

/** What no signature covers: digital source types, and what generators leave behind. */
function declaredIn(texts: ForeignTexts): readonly Declaration[] {
  // IPTC Photo Metadata 2025.1 names the system next to the type.
  const system = textIn(texts.of('AISystemUsed')[0]?.text);
  const types = texts.of('DigitalSourceType').flatMap((text) => {
    const origin = originOfSourceType(text.text);
    if (origin === null) return [];
    return unsigned(text, origin, origin === 'captured' ? null : system);
  });
  const generated = recogniseGenerators(texts).map(({ text, origin, generator }) =>
    unsigned(text, origin, generator),
  );
  return [...types, ...generated];
}

function unsigned(
  { place, field, text }: ForeignText,
  origin: DeclaredOrigin,
  generator: string | null,
): Declaration {
  const [printedField, value] = [printable(field), printable(text)];
  return { origin, place, field: printedField, value, generator, assurance: 'unsigned' };
}

/** The best vouched-for first; of these, a picture generated as a whole before one with generated parts. */
function ranked(declarations: readonly Declaration[]): readonly Declaration[] {
  return declarations
    .toSorted((a, b) => rankDeclaration(a) - rankDeclaration(b))
    .slice(0, maxDeclarations);
}

function rankDeclaration({ assurance, origin }: Declaration): number {
  return declaredOrigins.indexOf(origin) - declaredOrigins.length * assurances.indexOf(assurance);
}

const maxSteps = 100;

/**
 * What editing programs say of their own work, as they wrote it.
 *
 * @param packet - XMP. None for a packet that cannot be read: the metadata's warnings name it.
 */
function readHistory(packet: Uint8Array): readonly HistoryStep[] {
  try {
    return readXmpHistory(packet).map(toStep);
  } catch {
    return [];
  }
}

function toStep(fields: Readonly<Record<string, unknown>>): HistoryStep {
  return {
    action: textIn(fields['action']) ?? '',
    software: textIn(fields['softwareAgent']),
    when: textIn(fields['when']),
    parameters: textIn(fields['parameters']),
  };
}

function collectWarnings(
  { metadata }: PictureFacts,
  exif: ExifClues,
  isThumbnailRead: boolean,
): readonly Warning[] {
  const isThumbnailLost = exif.thumbnail !== null && !isThumbnailRead;
  // XMP's `dcterms:provenance` names where a manifest can be fetched.
  const isElsewhere = metadata.xmp['provenance'] !== undefined;
  return [
    ...(isThumbnailLost ? [{ code: 'thumbnail_unreadable', values: {} } as const] : []),
    ...(isElsewhere ? [{ code: 'credentials_elsewhere', values: {} } as const] : []),
  ];
}
