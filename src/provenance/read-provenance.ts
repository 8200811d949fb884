/**
 * Reads everything that a file says about its origin. Never throws because of the file: what cannot
 * be read becomes a warning.
 */

import { assurances, type DeclaredOrigin, declaredOrigins } from '../contract/vocabulary.ts';
import { readFileClues } from '../image/container.ts';
import { readExifClues } from '../image/exif.ts';
import { type FileText, readFileTexts } from '../image/file-texts.ts';
import type { Warning } from '../image/metadata-blocks.ts';
import type { Picture } from '../image/picture.ts';
import type { XmpValue } from '../image/xmp.ts';
import { readContentCredentials } from './c2pa.ts';
import { findInconsistencies } from './consistency.ts';
import { type ForeignTexts, findTexts, printable, textIn } from './file-texts.ts';
import { recogniseGenerators } from './generator-parameters.ts';
import type { Declaration, HistoryStep, Provenance } from './provenance.ts';
import { nameSoftware } from './software.ts';
import { originOfSourceType } from './source-types.ts';
import { alignThumbnail } from './thumbnail.ts';
import { classifyTables, readLayout } from './trailing-data.ts';
import { readVisibleMark } from './visible-mark.ts';
import { readWatermark } from './watermark.ts';

const maxDeclarations = 50;

/**
 * @param picture - decoded from `bytes`.
 * @param options.trustList - PEM certificates of the signers that the administrator trusts; null for none.
 * @param options.now - the time with which times in the file are compared.
 */
export async function readProvenance(
  bytes: Uint8Array,
  picture: Picture,
  { trustList, now = new Date() }: { readonly trustList: string | null; readonly now?: Date },
): Promise<Provenance> {
  const { facts } = picture;
  const clues = readFileClues(bytes, facts.format);
  const exif = readExifClues(clues.blocks.exif);
  const fileTexts = readFileTexts(clues.blocks);
  const { hiddenText: hidden } = picture;
  const texts = findTexts([
    ...fileTexts.all,
    ...(hidden ? [{ place: hidden.place, field: hidden.keyword, text: hidden.text }] : []),
  ]);
  const signed = clues.hasCredentials
    ? await readContentCredentials(bytes, facts.format, trustList)
    : null;
  const credentials = signed?.credentials ?? null;
  // The most trustworthy comes first; of equals, a fully generated picture comes before a partly generated one.
  const declarations = [
    ...(signed?.declarations ?? []),
    ...readWatermark(picture),
    ...readVisibleMark(picture),
    ...declaredIn(texts),
  ]
    .toSorted((a, b) => rankDeclaration(a) - rankDeclaration(b))
    .slice(0, maxDeclarations);
  const history = fileTexts.xmp.flatMap(readHistory).slice(-maxSteps);
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
    warnings: [
      // Truncated text was stored with the metadata but recognised before truncation, so nothing was lost.
      ...facts.metadata.warnings.filter(
        (warning) =>
          typeof warning === 'string' || !['texts_cut', 'entries_cut'].includes(warning.code),
      ),
      ...(exif.thumbnail !== null && thumbnail === null ? [thumbnailLost] : []),
      ...credentialWarnings(texts, credentials !== null),
    ],
  };
}

/** Unsigned declarations: digital source types, and traces of generators. */
function declaredIn(texts: ForeignTexts): readonly Declaration[] {
  // Next to the source type, IPTC Photo Metadata 2025.1 has a field for the name of the AI system.
  const [used] = texts.of('AISystemUsed');
  const system = textIn(used?.text);
  const types = texts.of('DigitalSourceType').flatMap((text) => {
    const origin = originOfSourceType(text.text);
    if (origin === null) return [];
    return unsigned(text, origin, origin === 'captured' ? null : system);
  });
  const generated = recogniseGenerators(texts).map(({ text, origin, generator }) =>
    unsigned(text, origin, generator),
  );
  // If there is no source type, the name of the system alone declares a generated picture.
  const isTyped = texts.of('DigitalSourceType').length > 0;
  const named = used && !isTyped ? [unsigned(used, 'ai-generated', system)] : [];
  return [...types, ...named, ...generated];
}

function unsigned(
  { place, field, text }: FileText,
  origin: DeclaredOrigin,
  generator: string | null,
): Declaration {
  const [printedField, value] = [printable(field), printable(text)];
  return { origin, place, field: printedField, value, generator, assurance: 'unsigned' };
}

function rankDeclaration({ assurance, origin }: Declaration): number {
  return declaredOrigins.indexOf(origin) - declaredOrigins.length * assurances.indexOf(assurance);
}

const maxSteps = 100;

const historyPath = /^History\/(action|softwareAgent|when|parameters)$/;

/** The history that editing programs recorded: one `xmpMM:History` entry per step. */
function readHistory(packet: readonly XmpValue[]): readonly HistoryStep[] {
  const fields = packet.filter(({ path }) => historyPath.test(path));
  return [...Map.groupBy(fields, ({ item }) => item).values()].map((step) => {
    const field = (name: string) => textIn(step.find(({ path }) => path.endsWith(name))?.text);
    return {
      action: field('/action') ?? '',
      software: field('/softwareAgent'),
      when: field('/when'),
      parameters: field('/parameters'),
    };
  });
}

const thumbnailLost: Warning = { code: 'thumbnail_unreadable', values: {} };

/** In XMP, `dcterms:provenance` says where the manifest is: in the file itself (`self#jumbf=...`) or at a URL. */
function credentialWarnings(texts: ForeignTexts, hasCredentials: boolean): readonly Warning[] {
  const places = texts.of('provenance').filter(({ place }) => place === 'xmp');
  if (places.some(({ text }) => !text.trim().startsWith('self#'))) {
    return [{ code: 'credentials_elsewhere', values: {} }];
  }
  const areGone = places.length > 0 && !hasCredentials;
  return areGone ? [{ code: 'credentials_removed', values: {} }] : [];
}
