/** The rows of a report that tell which file was examined and what it says about itself. Positions are never printed. */

import type { JpegStructure } from '../image/jpeg-structure.ts';
import type { Metadata } from '../image/metadata.ts';
import { printable } from './printable.ts';
import { row } from './rows-of-result.ts';
import type { Row, TableInput } from './sections.ts';

/** Characters of one foreign value; the file itself holds the rest. */
const valueLimit = 160;

type Tag = string | number;

/** EXIF tags that describe the exposure, each under the names that it goes by, as a photographer writes it. */
const exposureTags: readonly { names: readonly string[]; write: (value: Tag) => string }[] = [
  { names: ['ExposureTime'], write: (value) => `${value} s` },
  { names: ['FNumber'], write: (value) => String(value) },
  {
    names: ['PhotographicSensitivity', 'ISOSpeedRatings'],
    write: (value) => `ISO ${value}`,
  },
  { names: ['FocalLength'], write: (value) => String(value) },
];

export function itemRows(input: TableInput): readonly Row[] {
  const { examination, item, labels, numbers } = input;
  const { rows, pixels } = labels;
  const { facts } = examination;
  const size = (width: number, height: number) =>
    `${numbers.count(width)} × ${numbers.count(height)} ${pixels}`;
  const isTurned = facts.width !== facts.storedWidth || facts.height !== facts.storedHeight;
  return [
    { label: rows.name, value: printable(item.name) },
    ...row(item.analysisId !== null, rows.analysis, printable(item.analysisId ?? '')),
    ...row(item.isUploadReplaced === true, rows.upload, labels.uploadReplaced),
    { label: rows.format, value: facts.format === 'jpg' ? 'JPEG' : 'PNG' },
    { label: rows.size, value: size(facts.width, facts.height) },
    ...row(isTurned, rows.storedSize, size(facts.storedWidth, facts.storedHeight)),
    { label: rows.bytes, value: `${numbers.count(facts.sizeBytes)} ${labels.bytes}` },
    { label: 'SHA-256', value: facts.sha256 },
    // In two halves, so that both lines are equally long and easy to compare.
    { label: 'SHA-512', value: `${facts.sha512.slice(0, 64)} ${facts.sha512.slice(64)}` },
    { label: labels.md5, value: facts.md5 },
    { label: rows.colour, value: writeColour(input) },
    ...row(facts.iccProfile !== null, rows.profile, printable(facts.iccProfile ?? '', valueLimit)),
    ...row(facts.orientation !== 1, rows.orientation, numbers.count(facts.orientation)),
    ...(facts.jpeg === null ? [] : jpegRows(input, facts.jpeg)),
    ...metadataRows(input, facts.metadata),
    ...row(
      facts.notes.length > 0,
      rows.notes,
      facts.notes.map((note) => labels.notes[note]).join('; '),
    ),
  ];
}

function writeColour({ examination, labels, numbers }: TableInput): string {
  const { colourSpace, bitsPerSample, channels, hasAlpha } = examination.facts;
  const bits = labels.bits(numbers.count(bitsPerSample), numbers.count(channels));
  return [printable(colourSpace, valueLimit), bits, ...(hasAlpha ? [labels.withAlpha] : [])].join(
    ', ',
  );
}

function jpegRows(input: TableInput, jpeg: JpegStructure): readonly Row[] {
  const { labels, numbers } = input;
  const { rows } = labels;
  const { quality } = jpeg;
  const coding = jpeg.progressive ? labels.progressive : labels.sequential;
  return [
    ...(quality === null ? [] : [{ label: rows.jpegQuality, value: writeQuality(input, quality) }]),
    { label: rows.jpegSubsampling, value: printable(jpeg.chromaSubsampling, valueLimit) },
    {
      label: rows.jpegCoding,
      value: jpeg.arithmetic ? `${coding}, ${labels.arithmetic}` : coding,
    },
    ...row(jpeg.trailingBytes > 0, rows.trailingBytes, numbers.count(jpeg.trailingBytes)),
  ];
}

function writeQuality(
  { labels, numbers }: TableInput,
  { value, distance }: NonNullable<JpegStructure['quality']>,
): string {
  const quality = numbers.count(value);
  if (distance === 0) return labels.exactQuality(quality);
  return labels.nearestQuality(quality, numbers.plain(distance));
}

function metadataRows({ labels }: TableInput, metadata: Metadata): readonly Row[] {
  const { rows } = labels;
  const { exif, pngText } = metadata;
  const camera = joined([metadata.cameraMake, metadata.cameraModel]);
  const exposure = exposureTags.flatMap(({ names, write }) => {
    const value = names.map((name) => exif[name]).find((found) => found !== undefined);
    return value === undefined ? [] : [write(value)];
  });
  const texts = Object.entries(pngText).map(([key, text]) => `${key}: ${text}`);
  return [
    ...foreign(rows.camera, camera),
    ...foreign(rows.software, metadata.software),
    ...foreign(rows.takenAt, metadata.takenAt),
    ...foreign(rows.lens, joined([exif['LensModel']])),
    ...foreign(rows.exposure, exposure.join(', ')),
    ...foreign(rows.digitalSource, metadata.digitalSourceType),
    ...foreign(rows.pngText, texts.join('; ')),
    ...row(metadata.hasGps, rows.position, labels.presentNotShown),
    ...row(metadata.hasThumbnail, rows.thumbnail, labels.present),
    ...foreign(rows.metadataWarnings, metadata.warnings.join(' ')),
  ];
}

function foreign(label: string, value: string | null): readonly Row[] {
  return value === null || value === '' ? [] : [{ label, value: printable(value, valueLimit) }];
}

function joined(values: readonly (Tag | null | undefined)[]): string {
  return values.filter((value) => value !== null && value !== undefined).join(' ');
}
