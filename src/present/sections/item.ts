/** The file that was examined: what its metadata says and how it is structured. GPS positions are never printed. */

import { formatNames } from '../../contract/formats.ts';
import type { JpegStructure } from '../../image/jpeg-structure.ts';
import type { Metadata } from '../../image/metadata.ts';
import { writeWarnings } from '../findings.ts';
import type { NumberWriter } from '../numbers.ts';
import { kept, nameIn, printable } from '../printable.ts';
import { type CustodyEvent, type Origin, writeActor } from '../report-item.ts';
import type { Words } from '../wording/catalogue.ts';
import {
  type Block,
  grid,
  type GridRow,
  heading,
  note,
  only,
  paragraph,
  type Row,
  row,
  type SectionInput,
  foreignRow,
  valueLimit,
  withEscapes,
} from './blocks.ts';
import { credentialDetails, structureRows } from './provenance.ts';

type Tag = string | number;

/** EXIF exposure tags, under every name in use, written as photographers write them. */
const exposureTags: readonly { names: readonly string[]; write: (value: Tag) => string }[] = [
  { names: ['ExposureTime'], write: (value) => `${value} s` },
  { names: ['FNumber'], write: (value) => String(value).replace(/\.0$/, '') },
  { names: ['PhotographicSensitivity', 'ISOSpeedRatings'], write: (value) => `ISO ${value}` },
  { names: ['FocalLength'], write: (value) => String(value) },
];

export function itemBlocks(input: SectionInput): readonly Block[] {
  const { metadataTitle, metadataNote } = input.catalogue.document.item;
  const blocks: readonly Block[] = [
    { kind: 'table', rows: itemRows(input) },
    heading(metadataTitle),
    { kind: 'table', rows: metadataRows(input) },
    note(metadataNote),
    ...credentialDetails(input),
  ];
  return withEscapes(blocks, input.labels);
}

function itemRows(input: SectionInput): readonly Row[] {
  const { examination, item, labels, numbers } = input;
  const { rows, pixels } = labels;
  const { facts } = examination;
  const size = (width: number, height: number) =>
    `${numbers.count(width)} × ${numbers.count(height)} ${pixels}`;
  const isTurned = facts.width !== facts.storedWidth || facts.height !== facts.storedHeight;
  return [
    { label: rows.name, value: printable(item.name) },
    ...(item.origins ?? []).flatMap((origin) => originRows(origin, input)),
    ...row(item.isUploadReplaced === true, rows.upload, labels.uploadReplaced),
    { label: rows.bytes, value: `${numbers.count(facts.sizeBytes)} ${labels.bytes}` },
    { label: 'SHA-256', value: facts.sha256 },
    // Split in two, because two lines of equal length are easier to compare.
    { label: 'SHA-512', value: `${facts.sha512.slice(0, 64)} ${facts.sha512.slice(64)}` },
    { label: labels.md5, value: facts.md5 },
    { label: rows.format, value: formatNames[facts.format] },
    { label: rows.size, value: size(facts.width, facts.height) },
    ...row(isTurned, rows.storedSize, size(facts.storedWidth, facts.storedHeight)),
    ...row(facts.orientation !== 1, rows.orientation, numbers.count(facts.orientation)),
    { label: rows.colour, value: writeColour(input) },
    ...foreignRow(rows.profile, facts.iccProfile),
    ...(facts.jpeg === null ? [] : jpegRows(input, facts.jpeg)),
    ...structureRows(input),
  ];
}

function originRows(origin: Origin, { labels, numbers }: SectionInput): readonly Row[] {
  const { rows, origins } = labels;
  if (origin.kind === 'url') {
    const { url, redirects, headers, fetchedAt } = origin;
    const said = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    return [
      ...foreignRow(rows.fetchedFrom, [url, ...redirects].join(' → ')),
      { label: rows.fetchedAt, value: numbers.stated(fetchedAt) },
      ...foreignRow(rows.serverSaid, said.join('; ')),
    ];
  }
  const { name, sha256, page, picture, place } = origin;
  const { left, top, width, height } = place;
  const mm = (value: number) => numbers.count(Math.round(value));
  const where = origins.place(mm(width), mm(height), mm(left), mm(top));
  const inPage =
    picture === null ? origins.page(page) : `${origins.picture(page, picture)}, ${where}`;
  return [
    ...foreignRow(rows.takenFrom, name),
    { label: rows.pdfSha256, value: sha256 },
    { label: rows.place, value: inPage },
  ];
}

function writeColour({ examination, labels, numbers }: SectionInput): string {
  const { colourSpace, bitsPerSample, channels, hasAlpha } = examination.facts;
  const bits = labels.bits(numbers.count(bitsPerSample), numbers.count(channels));
  return kept([printable(colourSpace, valueLimit), bits, hasAlpha && labels.withAlpha]).join(', ');
}

function jpegRows(input: SectionInput, jpeg: JpegStructure): readonly Row[] {
  const { labels } = input;
  const { rows } = labels;
  const { quality, progressive, arithmetic } = jpeg;
  const coding = progressive ? labels.progressive : labels.sequential;
  return [
    ...(quality ? [{ label: rows.jpegQuality, value: writeQuality(input, quality) }] : []),
    { label: rows.jpegSubsampling, value: printable(jpeg.chromaSubsampling, valueLimit) },
    { label: rows.jpegCoding, value: kept([coding, arithmetic && labels.arithmetic]).join(', ') },
  ];
}

function writeQuality(
  { labels, numbers }: SectionInput,
  { value, distance }: NonNullable<JpegStructure['quality']>,
): string {
  const quality = numbers.count(value);
  if (distance === 0) return labels.exactQuality(quality);
  return labels.nearestQuality(quality, numbers.plain(distance));
}

function metadataRows(input: SectionInput): readonly Row[] {
  const { examination, labels, catalogue, numbers, language } = input;
  const { rows } = labels;
  const { metadata } = examination.facts;
  const { exif, pngText, takenAt } = metadata;
  const exposure = exposureTags.flatMap(({ names, write }) => {
    const value = names.map((name) => exif[name]).find((found) => found !== undefined);
    if (value === undefined) return [];
    return write(value).replace(/(?<=\d)\.(?=\d)/, labels.numbers.decimal);
  });
  const texts = Object.entries(pngText).map(([key, text]) => `${key}: ${text}`);
  const { presentNotShown, present } = labels;
  const { absent } = catalogue.document.item;
  const unread = writeWarnings(examination.provenance, language);
  const warnings = writeWarnings(metadata, language);
  const camera = writeCamera(metadata);
  const isSilent = [camera, takenAt, metadata.software].every((it) => !it);
  return [
    ...row(isSilent, rows.statements, catalogue.document.item.noMetadata),
    ...foreignRow(rows.camera, camera),
    ...foreignRow(rows.takenAt, takenAt && numbers.stated(takenAt)),
    ...foreignRow(rows.software, metadata.software),
    ...foreignRow(rows.digitalSource, metadata.digitalSourceType),
    ...foreignRow(rows.lens, joined([exif['LensModel']])),
    ...foreignRow(rows.exposure, exposure.join(', ')),
    ...foreignRow(rows.pngText, texts.join('; ')),
    ...foreignRow(rows.comment, metadata.comment ?? null),
    { label: rows.position, value: metadata.hasGps ? presentNotShown : absent },
    { label: rows.thumbnail, value: metadata.hasThumbnail ? present : absent },
    // The section on provenance lists what could not be read.
    ...foreignRow(rows.metadataWarnings, warnings.filter((one) => !unread.includes(one)).join(' ')),
  ];
}

/** Many makers repeat part of their name in the model: `NIKON CORPORATION`, `NIKON D800`. */
function writeCamera({ cameraMake, cameraModel }: Metadata): string {
  const [brand = ''] = cameraMake?.split(' ') ?? [];
  const isNamed = brand !== '' && cameraModel?.startsWith(brand) === true;
  return joined(isNamed ? [cameraModel] : [cameraMake, cameraModel]);
}

function joined(values: readonly (Tag | null | undefined)[]): string {
  return values.filter((value) => value !== null && value !== undefined).join(' ');
}

/** The chain of custody, as far as the program recorded it. */
export function custodyBlocks({ item, numbers, catalogue }: SectionInput): readonly Block[] {
  const { custody } = catalogue.document;
  const events = item.custody ?? [];
  if (events.length === 0) return [paragraph(custody.none)];
  const isReportNamed = events.some(({ hashes }) =>
    hashes.some(({ name }) => name.endsWith('.pdf')),
  );
  return [
    paragraph(custody.intro),
    grid(
      custody.columns,
      [0.26, 0.37, 0.37],
      events.map((one) => toRow(one, custody, numbers)),
    ),
    ...only(isReportNamed, note(custody.redrawn)),
  ];
}

function toRow(
  { at, event, actor, hashes }: CustodyEvent,
  words: Words['document']['custody'],
  numbers: NumberWriter,
): GridRow {
  return {
    cells: [numbers.time(at), words.events[event], printable(writeActor(actor, words.actors), 80)],
    below: hashes.map(
      ({ name, sha256 }) =>
        `${nameIn(words.hashes, name, printable(name, 40))}: ${printable(sha256)}`,
    ),
  };
}
