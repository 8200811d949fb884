/** Reads what a file says about its origin. Never throws because of the file: what cannot be read becomes a warning. */

import { assurances, type DeclaredOrigin, declaredOrigins } from '../contract/vocabulary.ts';
import { readExifClues } from '../image/exif.ts';
import type { FileText } from '../image/file-texts.ts';
import type { FileClues } from '../image/metadata-blocks.ts';
import type { Picture } from '../image/picture.ts';
import type { XmpValue } from '../image/xmp.ts';
import { readContentCredentials } from './c2pa.ts';
import { classifyTables, findInconsistencies } from './consistency.ts';
import { findTexts, type ForeignTexts, printable, textIn } from './file-texts.ts';
import { recogniseGenerators, toolFields } from './generator-parameters.ts';
import {
  type Declaration,
  type FileLayout,
  type HistoryStep,
  type NamedSoftware,
  type Provenance,
  type Warning,
  originOfSourceType,
} from '../contract/provenance.ts';
import { generatorNamed } from './generator-names.ts';
import { alignThumbnail } from '../image/thumbnail.ts';
import { readVisibleMark } from './visible-mark.ts';
import { readWatermark } from './watermark.ts';
import { type JpegStructure, readJpeg } from '../image/jpeg-structure.ts';
import { ascii, dataView, isStructure } from '../image/bytes.ts';
import { readDirectories } from '../image/tiff.ts';

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
  const { facts, clues, hiddenText: hidden } = picture;
  const exif = readExifClues(clues.exif);
  const { texts: fileTexts } = clues;
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
      ...(exif.thumbnail !== null && thumbnail === null
        ? [{ code: 'thumbnail_unreadable', values: {} } as const]
        : []),
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

/** In XMP, `dcterms:provenance` says where the manifest is: in the file itself (`self#jumbf=...`) or at a URL. */
function credentialWarnings(texts: ForeignTexts, hasCredentials: boolean): readonly Warning[] {
  const places = texts.of('provenance').filter(({ place }) => place === 'xmp');
  if (places.some(({ text }) => !text.trim().startsWith('self#'))) {
    return [{ code: 'credentials_elsewhere', values: {} }];
  }
  const areGone = places.length > 0 && !hasCredentials;
  return areGone ? [{ code: 'credentials_removed', values: {} }] : [];
}

// Names of programs, devices and platforms in a file: anyone can write one, so none is trusted.

interface Sources extends Pick<Provenance, 'declarations' | 'credentials' | 'history'> {
  readonly texts: ForeignTexts;
  readonly jpeg: JpegStructure | null;
}

const maxNames = 20;

/** Each name once, generators first. */
export function nameSoftware({ texts, declarations, credentials, history, jpeg }: Sources) {
  const names: readonly NamedSoftware[] = [
    ...declarations.flatMap(({ generator, place }) => {
      if (generator === null) return [];
      // An editing program that includes a model is still an editor.
      const { kind, name } = sorted(generator);
      return { kind: kind === 'editor' ? kind : ('generator' as const), name, place };
    }),
    ...cameraIn(texts),
    ...texts.of(...toolFields).map((text) => toolIn(text, texts)),
    ...history.flatMap(({ software }) =>
      software === null ? [] : { ...sorted(software), place: 'xmp' as const },
    ),
    ...platformsIn(texts),
    ...[
      credentials?.claimGenerator,
      ...(credentials?.actions ?? []).map((it) => it.software),
    ].flatMap((name) => (name ? { ...sorted(name), place: 'c2pa' as const } : [])),
    // When exporting for the web, Photoshop stores the quality in a segment that no other program writes.
    ...(jpeg?.segments.some(({ label }) => label === 'APP12 Ducky') ? [savedForWeb] : []),
  ];
  const byName = Map.groupBy(
    names.filter(({ name }) => name !== ''),
    ({ name }) => name,
  );
  return Array.from(byName.values(), ([first]) => first!).slice(0, maxNames);
}

const savedForWeb: NamedSoftware = {
  kind: 'editor',
  name: 'Adobe Photoshop (Save for Web)',
  place: 'exif',
};

/** Programs that edit pictures, recognised by how their names begin. */
const editors: readonly RegExp[] = [
  /^(?:ACD Systems|ACDSee|Adobe (?:Photoshop|Lightroom|Camera Raw|Illustrator|Bridge|ImageReady))/i,
  /^(?:Affinity Photo|Aperture|Aurora HDR|BeautyPlus|Canva|Capture One|CorelDRAW|darktable|DxO)/i,
  /^(?:FaceApp|Facetune|FastStone|GIMP|GraphicConverter|ImageMagick|IrfanView|Krita|Luminar)/i,
  /^(?:Meitu|Microsoft (?:Windows )?Photo|Microsoft Office|ON1|PaintShop|Corel PaintShop|paint\.net)/i,
  /^(?:Paint\.NET|Photopea|PhotoScape|PhotoDirector|Photomatix|Picasa|PicsArt|Pixelmator|Pixlr)/i,
  /^(?:Polarr|Prisma|RawTherapee|Remini|SNOW|Snapseed|Topaz|VSCO|Windows Photo|XnView|Zoner)/i,
];

function sorted(text: string): Pick<NamedSoftware, 'kind' | 'name'> {
  const name = printable(text);
  // ComfyUI and InvokeAI also crop and scale pictures, so their names alone declare nothing.
  const isGenerator = generatorNamed(name) !== null || /^(?:ComfyUI|InvokeAI)\b/.test(name);
  if (isGenerator) return { kind: 'generator', name };
  return { kind: editors.some((editor) => editor.test(name)) ? 'editor' : 'unknown', name };
}

/** A camera's software is its firmware, unless the name is that of a known program. */
function toolIn(tool: FileText, texts: ForeignTexts): NamedSoftware {
  const { kind, name } = sorted(tool.text);
  const { place } = tool;
  const system = kind === 'unknown' && place !== 'png-text' ? firmwareNamed(name, texts) : null;
  return system === null ? { kind, name, place } : { kind: 'firmware', name: system, place };
}

/** On their own (Apple, Huawei) or after a prefix: `Ver.1.00`, `ILCE-7M3 v3.10`, `HDR+ 1.0.585804401zd`. */
const version =
  /^\d+(?:\.\d+){1,3}$|^(?:.{0,40} )?(?:firmware |ver(?:sion)?[. ]?|v)\d+(?:\.\d+)+\w*$|^HDR\+ /i;

/** Null if not firmware. Apple writes only the version; Samsung a build that starts with the model: `G991BXXS5CVGB`. */
function firmwareNamed(name: string, texts: ForeignTexts): string | null {
  const [make, model] = [texts.of('Make')[0]?.text ?? '', texts.of('Model')[0]?.text ?? ''];
  if (make === '' || model === '') return null;
  const isApple = /^apple\b/i.test(make) && /^\d+(?:\.\d+){0,3}$/.test(name);
  if (isApple)
    return `${/^ipad/i.test(model) && Number.parseInt(name, 10) >= 13 ? 'iPadOS' : 'iOS'} ${name}`;
  const code = model.trim().replace(/^(?:SM|GT|SAMSUNG)-/i, '');
  const isBuild = code.length >= 4 && name.startsWith(code);
  return isBuild || version.test(name) ? name : null;
}

/** The maker is left out if the model starts with its first word: `NIKON CORPORATION`, `NIKON D800`. */
function cameraIn(texts: ForeignTexts): readonly NamedSoftware[] {
  const [[make], [model]] = [texts.of('Make'), texts.of('Model')];
  if (make === undefined || model === undefined || generatorNamed(make.text) !== null) return [];
  // The camera fields may contain a workflow instead.
  if (isStructure(make.text) || isStructure(model.text)) return [];
  const maker = printable(make.text);
  const type = printable(model.text);
  const [brand = maker] = maker.split(' ');
  const name = type.toLowerCase().startsWith(brand.toLowerCase()) ? type : `${maker} ${type}`;
  return [{ kind: 'camera', name, place: make.place }];
}

/** In the IPTC instructions, Facebook and Instagram write `FBMD` and hexadecimal digits. */
function platformsIn(texts: ForeignTexts): readonly NamedSoftware[] {
  return texts
    .of('Special Instructions', 'SpecialInstructions', 'Instructions')
    .filter(({ text }) => /^FBMD[0-9a-f]{10,}/.test(text))
    .map(({ place }) => ({ kind: 'platform', name: 'Facebook or Instagram', place }));
}

// Finds data after the end of the picture, and counts the pictures in the file.

export function readLayout(
  bytes: Uint8Array,
  { endOffset, pictureIndex }: Pick<FileClues, 'endOffset' | 'pictureIndex'>,
): FileLayout {
  const trailing = bytes.subarray(endOffset);
  return {
    trailingBytes: trailing.length,
    trailingKind: detectKind(trailing),
    pictures: 1 + Math.max(countListed(bytes, pictureIndex), countTrailing(trailing)),
  };
}

/** Format, offset of the signature, and the signature as Latin-1. */
const signatures: readonly (readonly [string, number, string])[] = [
  ['zip', 0, 'PK\x03\x04'],
  ['jpeg', 0, '\xff\xd8\xff'],
  ['png', 0, '\x89PNG\r\n\x1a\n'],
  ['mp4', 4, 'ftyp'],
  ['pdf', 0, '%PDF-'],
  ['rar', 0, 'Rar!\x1a\x07'],
  ['7z', 0, '7z\xbc\xaf\x27\x1c'],
  ['gzip', 0, '\x1f\x8b\x08'],
  ['executable', 0, 'MZ'],
  ['executable', 0, '\x7fELF'],
];

function detectKind(trailing: Uint8Array): string | null {
  if (trailing.length === 0) return null;
  const known = signatures.find(([, at, text]) => ascii(trailing, at, text.length) === text);
  if (known !== undefined) return known[0];
  // At the end of their files, Samsung phones write a directory of the data that they appended.
  if (String.fromCharCode(...trailing.subarray(-4)) === 'SEFT') return 'samsung-trailer';
  if (trailing.every((byte) => byte === 0)) return 'zeros';
  const isPlainText = trailing
    .subarray(0, 512)
    .every((byte) => (byte >= 32 && byte < 127) || [9, 10, 13].includes(byte));
  return isPlainText ? 'text' : null;
}

const entriesTag = 0xb002;
const entryBytes = 16;
const maxPictures = 100;

/** Counts the additional pictures that the index lists and that really are at their offsets (CIPA DC-007, 5.2.3). */
function countListed(bytes: Uint8Array, index: FileClues['pictureIndex']): number {
  const entries = index && readDirectories(index.tiff).primary.get(entriesTag);
  if (!index || !entries) return 0;
  const view = dataView(entries.bytes);
  let found = 0;
  // The first entry is the main picture itself.
  for (let entry = 1; entry < maxPictures && (entry + 1) * entryBytes <= view.byteLength; entry++) {
    const offset = view.getUint32(entry * entryBytes + 8, entries.isLittleEndian);
    const start = index.base + offset;
    if (offset > 0 && bytes[start] === 0xff && bytes[start + 1] === 0xd8) found++;
  }
  return found;
}

/** Counts complete JPEG files that follow one another. */
function countTrailing(trailing: Uint8Array): number {
  let rest = trailing;
  for (let found = 0; ; found++) {
    if (found === maxPictures || detectKind(rest) !== 'jpeg') return found;
    try {
      rest = rest.subarray(readJpeg(rest).endOffset);
    } catch {
      // This starts like a picture but is not one, so the count ends here.
      return found;
    }
  }
}
