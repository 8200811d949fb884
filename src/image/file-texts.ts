/** All text in the metadata of a file, in full, with place and field: programs record there what they did. */

import { readExifClues } from './exif.ts';
import type { MetadataPlace, Warning } from '../contract/provenance.ts';
import type { MetadataBlocks } from './metadata-blocks.ts';
import { readDirectories } from './tiff.ts';
import { readXmp, type XmpValue } from './xmp.ts';
import { ascii, dataView, decodeText, untilNul } from './bytes.ts';

export interface FileText {
  readonly place: MetadataPlace;
  /** Keyword, tag name, or path of the XMP property. */
  readonly field: string;
  readonly text: string;
}

export type FileTexts = ReturnType<typeof readFileTexts>;

/** Larger blocks are not read; this is sixteen times as large as the largest packets that Photoshop writes. */
const maxBlockBytes = 16 * 1024 * 1024;

/** Reads all text; a broken block becomes a warning. Never throws. */
export function readFileTexts(blocks: MetadataBlocks) {
  const warnings: Warning[] = [];
  const { exif, xmp, iptc } = withNested(blocks);
  const packets = readable('xmp', xmp, warnings).map((packet) => readPacket(packet, warnings));
  const records = readable('iptc', iptc, warnings).flatMap((block) =>
    ascii(block, 0, 4) === '8BIM' ? resourcesIn(block).flatMap(readRecords) : readRecords(block),
  );
  const all: readonly FileText[] = [
    ...blocks.texts.map(({ place, keyword, text }) => ({ place, field: keyword, text })),
    ...exif.map(({ field, text }) => ({ place: 'exif', field, text }) as const),
    ...packets.flat().map(({ path, text }) => ({ place: 'xmp', field: path, text }) as const),
    ...records.map(([field, text]) => ({ place: 'iptc', field, text }) as const),
  ];
  return {
    /** Place by place, and within each place in file order. */
    all: all
      .map((one) => ({ ...one, text: untilNul(one.text) }))
      .filter(({ text }) => text.trim() !== ''),
    xmp: packets,
    warnings,
  };
}

/** Fields of a TIFF directory that themselves contain blocks: XMP, IPTC and Photoshop resources. */
const nested = { xmp: [0x02bc], iptc: [0x83bb, 0x8649] } as const;

function withNested({ exif, xmp, photoshop }: MetadataBlocks) {
  const directories = exif.map((tiff) => readDirectories(tiff).primary);
  const fields = (tags: readonly number[]) =>
    directories.flatMap((primary) => tags.flatMap((tag) => primary.get(tag)?.bytes ?? []));
  return {
    exif: readExifClues(exif).texts,
    xmp: [...xmp, ...fields(nested.xmp)],
    iptc: [...photoshop, ...fields(nested.iptc)],
  };
}

function readable(place: MetadataPlace, blocks: readonly Uint8Array[], warnings: Warning[]) {
  return blocks.filter(({ length }) => {
    if (length > maxBlockBytes)
      warnings.push({ code: 'block_too_large', values: { place, bytes: length } });
    return length <= maxBlockBytes;
  });
}

function readPacket(packet: Uint8Array, warnings: Warning[]): readonly XmpValue[] {
  try {
    const { values, isWhole } = readXmp(packet);
    if (!isWhole) warnings.push({ code: 'block_read_in_part', values: { place: 'xmp' } });
    return values;
  } catch {
    // The picture does not depend on its metadata, so the loss is reported and reading continues.
    warnings.push({ code: 'block_unreadable', values: { place: 'xmp' } });
    return [];
  }
}

// Reads IPTC records, either inside Photoshop image resources or bare, as in TIFF.
// @see IPTC-IIM 4.2, 1.5 and 6, for data sets and their names; Adobe Photoshop File Formats Specification, image resources.

const names: Readonly<Record<number, string>> = {
  3: 'Object Type Reference',
  5: 'Object Name',
  7: 'Edit Status',
  10: 'Urgency',
  12: 'Subject Reference',
  15: 'Category',
  20: 'Supplemental Category',
  25: 'Keywords',
  40: 'Special Instructions',
  55: 'Date Created',
  60: 'Time Created',
  62: 'Digital Creation Date',
  63: 'Digital Creation Time',
  65: 'Originating Program',
  70: 'Program Version',
  80: 'By-line',
  85: 'By-line Title',
  90: 'City',
  92: 'Sub-location',
  95: 'Province/State',
  100: 'Country/Primary Location Code',
  101: 'Country/Primary Location Name',
  103: 'Original Transmission Reference',
  105: 'Headline',
  110: 'Credit',
  115: 'Source',
  116: 'Copyright Notice',
  118: 'Contact',
  120: 'Caption/Abstract',
  122: 'Writer/Editor',
};

const applicationRecord = 2;
const maxValues = 10_000;

const iptcResource = 0x0404;

function resourcesIn(block: Uint8Array): readonly Uint8Array[] {
  const view = dataView(block);
  const found: Uint8Array[] = [];
  for (let at = 0; at + 12 <= block.length && ascii(block, at, 4) === '8BIM'; ) {
    // The name is a length byte followed by its characters; both name and data are padded to an even number of bytes.
    const nameBytes = (block[at + 6]! + 2) & ~1;
    if (at + 10 + nameBytes > block.length) break;
    const sizeBytes = view.getUint32(at + 6 + nameBytes);
    const start = at + 10 + nameBytes;
    if (view.getUint16(at + 4) === iptcResource)
      found.push(block.subarray(start, start + sizeBytes));
    at = start + sizeBytes + (sizeBytes & 1);
  }
  return found;
}

/** Names and texts of the application record, in file order. Never throws. */
function readRecords(block: Uint8Array): readonly (readonly [string, string])[] {
  const view = dataView(block);
  const found: (readonly [string, string])[] = [];
  for (let at = 0; at + 5 <= block.length && block[at] === 0x1c && found.length < maxValues; ) {
    const [record, dataSet] = [block[at + 1]!, block[at + 2]!];
    const length = view.getUint16(at + 3);
    // If the highest bit is set, the others state how many bytes contain the length: in practice, four.
    const isExtended = length === 0x8004 && at + 9 <= block.length;
    const start = at + (isExtended ? 9 : 5);
    const sizeBytes = isExtended ? view.getUint32(at + 5) : length;
    const text = untilNul(decodeText(block.subarray(start, start + sizeBytes)));
    if (record === applicationRecord && dataSet > 0) {
      found.push([names[dataSet] ?? `Data set 2:${dataSet}`, text]);
    }
    at = start + sizeBytes;
  }
  return found;
}
